'use strict'

const data = JSON.parse(document.getElementById('data').textContent)
const { layers, frames, pictures } = data
const byID = id => document.getElementById(id)

// What is shown. A layer is its place in `layers`, a frame its place in `frames`; −1 for no layer.
const state = {
  frame: 0, selected: -1, pointed: -1, active: -1, closed: new Set(), search: '', filter: '',
  view: 'flat', mark: '', yaw: -30, pitch: 18, zoom: 1, spacing: 30, levels: Infinity, clip: false,
  ghosts: false, alone: false, allAnimations: false, theme: 'auto', timer: 0,
}

// An element with a class, a text and children.
function make(tag, className = '', text = '', ...children) {
  const element = document.createElement(tag)
  if (className) element.className = className
  if (text !== '') element.textContent = text
  element.append(...children)
  return element
}

const count = number => number.toLocaleString('en')
const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? '' : 's'}`
const clamp = (value, least, most) => Math.min(most, Math.max(least, value))
// A number with at most four digits after the point.
const short = number => String(Math.round(number * 1e4) / 1e4).replace('-', '−')
const seconds = number => number === null || number === undefined ? '—' : `${short(Math.round(number * 1e3) / 1e3)} s`

// The trees.

const states = []
const orders = []

// Values with changes, without those that are gone.
function merged(old, changes, gone = []) {
  if (!changes && !gone.length) return old
  const values = { ...old, ...changes }
  for (const name of gone) delete values[name]
  return values
}

// What is around corners, as x, y, width and height.
function boxOf(corners) {
  const [xs, ys] = [0, 1].map(part => corners.filter((_, i) => i % 2 === part))
  const [x, y] = [Math.min(...xs), Math.min(...ys)]
  return [x, y, Math.max(...xs) - x, Math.max(...ys) - y]
}

// A property's value with animations applied; what a new layer has if it has no other.
const shownValue = (state, name, fallback) => (name in state.shown ? state.shown : state.set)[name] ?? fallback

// What each layer is in a frame, by its place; undefined for a layer that is not there.
function statesIn(frame) {
  for (let i = states.length; i <= frame; i += 1) {
    const before = states[i - 1] ?? []
    const now = before.slice()
    orders.push(frames[i].order ?? orders[i - 1])
    for (const { id, set, unset, shown, unshown, ...changed } of frames[i].changes) {
      const old = before[id] ?? { set: {}, shown: {}, animations: [], progress: [], hidden: null, picture: null }
      const next = { ...old, ...changed, set: merged(old.set, set, unset), shown: merged(old.shown, shown, unshown) }
      if (next.corners.length) next.frame = boxOf(next.corners)
      if (next.set.bounds) next.bounds = shownValue(next, 'bounds')
      now[id] = next
    }
    states.push(now)
  }
  return states[frame]
}

const order = (frame = state.frame) => (statesIn(frame), orders[frame])
const present = new Map()

// The layers of a frame as a set.
function presentIn(frame) {
  const list = order(frame)
  if (!present.has(list)) present.set(list, new Set(list))
  return present.get(list)
}

// What a layer is in the frame that is shown, or in another one; undefined if it is not there.
function at(id, frame = state.frame) {
  const all = statesIn(frame)
  return presentIn(frame).has(id) ? all[id] : undefined
}

const shapes = new Map()

// The layers in each layer, in the order of the tree, and how deep each is.
function shape(frame = state.frame) {
  const list = order(frame)
  let shape = shapes.get(list)
  if (!shape) {
    shape = { children: new Map([[-1, []]]), depth: new Map() }
    for (const id of list) {
      const parent = layers[id].parent ?? -1
      if (!shape.children.has(parent)) shape.children.set(parent, [])
      shape.children.get(parent).push(id)
      shape.depth.set(id, (shape.depth.get(parent) ?? -1) + 1)
    }
    shapes.set(list, shape)
  }
  return shape
}

const childrenOf = id => shape().children.get(id) ?? []
// A layer's name, with the number of the copy if a replicator made it.
const copyOf = id => /#(\d+)$/.exec(layers[id].path)?.[1]
const title = id => `${layers[id].name || layers[id].className}${copyOf(id) ? ` #${copyOf(id)}` : ''}`
const fullTitle = id => layers[id].name ? `${title(id)} (${layers[id].className})` : `${title(id)} ${layers[id].path}`

function ancestors(id) {
  const found = []
  for (let next = layers[id].parent; next !== undefined && next !== null; next = layers[next].parent) found.push(next)
  return found
}

const isInMask = id => layers[id].isMask || ancestors(id).some(other => layers[other].isMask)

// The layers in the order in which they are painted, the lowest first: siblings by zPosition.
function paintOrder() {
  const found = []
  const stack = childrenOf(-1).slice().reverse()
  while (stack.length) {
    const id = stack.pop()
    found.push(id)
    const below = childrenOf(id).map(child => [shownValue(at(child), 'zPosition', 0), child])
    if (below.some(([z]) => z !== 0)) below.sort((a, b) => a[0] - b[0])
    for (let i = below.length - 1; i >= 0; i -= 1) stack.push(below[i][1])
  }
  return found
}

// Geometry: polygons are lists of [x, y].

function quad(state) {
  const c = state.corners
  if (c && c.length === 8) return [[c[0], c[1]], [c[2], c[3]], [c[4], c[5]], [c[6], c[7]]]
  const f = state.frame
  if (!f || f.length < 4 || f.includes(null)) return null
  return [[f[0], f[1]], [f[0] + f[2], f[1]], [f[0] + f[2], f[1] + f[3]], [f[0], f[1] + f[3]]]
}

const area = polygon => polygon.reduce((sum, [x, y], i) => {
  const [u, v] = polygon[(i + 1) % polygon.length]
  return sum + (x * v - u * y) / 2
}, 0)

function contains(polygon, [x, y]) {
  let inside = false
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i, i += 1) {
    const [a, b] = polygon[i]
    const [c, d] = polygon[j]
    if ((b > y) !== (d > y) && x < (c - a) * (y - b) / (d - b) + a) inside = !inside
  }
  return inside
}

// The part of a convex polygon that lies in another one.
function intersection(polygon, window) {
  const sign = Math.sign(area(window))
  let part = polygon
  for (let i = 0; i < window.length && part.length; i += 1) {
    const [ax, ay] = window[i]
    const [bx, by] = window[(i + 1) % window.length]
    const side = ([x, y]) => sign * ((bx - ax) * (y - ay) - (by - ay) * (x - ax))
    const next = []
    part.forEach((point, j) => {
      const other = part[(j + 1) % part.length]
      const [s, t] = [side(point), side(other)]
      if (s >= 0) next.push(point)
      if (s * t < 0) {
        const k = s / (s - t)
        next.push([point[0] + (other[0] - point[0]) * k, point[1] + (other[1] - point[1]) * k])
      }
    })
    part = next
  }
  return part
}

// The layers around one that cut off what lies outside their bounds.
const clips = id => ancestors(id).filter(other => {
  const state = at(other)
  return state && shownValue(state, 'masksToBounds', layers[other].className === 'CAScrollLayer')
})

// The projection of the unit square onto a quad, as [a, b, c, d, e, f, g, h]: u and v become
// x = (a u + b v + c) / (g u + h v + 1) and y = (d u + e v + f) / the same.
function projection([[x0, y0], [x1, y1], [x2, y2], [x3, y3]]) {
  const [sx, sy] = [x0 - x1 + x2 - x3, y0 - y1 + y2 - y3]
  let [g, h] = [0, 0]
  if (Math.abs(sx) > 1e-3 || Math.abs(sy) > 1e-3) {
    const [dx1, dy1, dx2, dy2] = [x1 - x2, y1 - y2, x3 - x2, y3 - y2]
    const scale = dx1 * dy2 - dx2 * dy1
    if (scale) [g, h] = [(sx * dy2 - dx2 * sy) / scale, (dx1 * sy - sx * dy1) / scale]
  }
  return [x1 - x0 + g * x1, x3 - x0 + h * x3, x0, y1 - y0 + g * y1, y3 - y0 + h * y3, y0, g, h]
}

// The place on the unit square that a projection takes to a point.
function unproject([a, b, c, d, e, f, g, h], [x, y]) {
  const [m, n, o, p] = [a - g * x, b - h * x, d - g * y, e - h * y]
  const scale = m * p - n * o
  const [r, s] = [x - c, y - f]
  return [(p * r - n * s) / scale, (m * s - o * r) / scale]
}

// Words.

const reasons = {
  isHidden: 'hidden', opacity: 'opacity 0', empty: 'draws nothing', noArea: 'no area',
  outside: 'outside', clipped: 'clipped', masked: 'masked', covered: 'covered',
  backFace: 'back face', time: 'not its time', behindEye: 'behind the eye', parent: 'parent hidden',
}

// Whether a layer that could be seen is not. One without anything of its own is no surprise.
const isGone = state => Boolean(state.hidden) && state.hidden.reason !== 'empty'

// Why a layer does not show, as a sentence with links.
function why(id, state) {
  const { reason, by } = state.hidden
  const link = by === null || by === undefined ? 'another layer' : layerLink(by)
  const words = {
    isHidden: ['Its isHidden is true.'],
    opacity: ['Its opacity is 0.'],
    empty: ['It has no colour, no contents, no border and no shadow.'],
    noArea: ['Its bounds, or a transform, leave it no area.'],
    outside: ['It lies beyond the frame.'],
    clipped: [link, ' cuts it off: its masksToBounds is true.'],
    masked: ['The mask ', link, ' lets nothing of it through.'],
    covered: [link, ' is opaque and lies above it.'],
    backFace: ['It is turned away, and its isDoubleSided is false.'],
    time: ['Its time has not come, or is over: its own time is ', `${seconds(localTime(state))}.`],
    behindEye: ['It lies behind the eye.'],
    parent: [link, ' around it does not show.'],
  }
  const sentence = make('p')
  sentence.append(...words[reason] ?? [reason])
  return sentence
}

// The sentences from a layer to the cause.
function whyChain(id) {
  const found = []
  const seen = new Set()
  for (let next = id; next !== null && next !== undefined && !seen.has(next);) {
    const state = at(next)
    if (!state || !state.hidden) break
    seen.add(next)
    found.push(why(next, state))
    next = state.hidden.reason === 'parent' ? state.hidden.by : null
  }
  return found
}

function layerLink(id) {
  const link = make('button', 'link', title(id))
  link.type = 'button'
  link.dataset.layer = id
  link.setAttribute('aria-label', fullTitle(id))
  return link
}

const localTime = ({ clock }) => clock[0] + clock[4] * frames[state.frame].time

// A value, as nodes.
function valueNodes(value) {
  if (value === null) return ['none']
  if (typeof value === 'boolean') return [value ? 'true' : 'false']
  if (typeof value === 'number') return [short(value)]
  if (typeof value === 'string') return [value]
  if (value.color) return colorNodes(value.color)
  if (!value.length) return ['none']
  if (value.every(item => typeof item === 'number')) return [numbersText(value)]
  const most = 8
  const nodes = value.slice(0, most).map(item => make('div', '', '', ...valueNodes(item)))
  if (value.length > most) nodes.push(make('div', 'quiet', `and ${count(value.length - most)} more`))
  return nodes
}

function colorNodes([r, g, b, a]) {
  const bytes = [r, g, b].map(channel => Math.round(channel * 255))
  const code = '#' + bytes.map(byte => clamp(byte, 0, 255).toString(16).padStart(2, '0')).join('')
  const isWide = bytes.some(byte => byte < 0 || byte > 255)
  const swatch = make('span', 'swatch')
  swatch.style.setProperty('--color', `rgb(${bytes.join(' ')} / ${a})`)
  const text = isWide ? [r, g, b].map(short).join(' ') : code
  return [swatch, a < 1 ? `${text} · ${short(a * 100)} %` : text]
}

function numbersText(numbers) {
  if (numbers.length === 16) return matrixText(numbers)
  if (numbers.length > 24) return `${numbers.slice(0, 24).map(short).join(', ')} and ${count(numbers.length - 24)} more`
  return numbers.map(short).join(', ')
}

// What a matrix does, if it is plain; else its rows.
function matrixText(m) {
  const near = (a, b) => Math.abs(a - b) < 1e-5
  const isFlat = [2, 3, 6, 7, 8, 9, 11].every(i => near(m[i], 0)) && near(m[10], 1) && near(m[15], 1)
  const [a, b, c, d] = [m[0], m[1], m[4], m[5]]
  const parts = []
  const move = m.slice(12, 15)
  if (move.some(n => !near(n, 0))) parts.push(`moved by ${move.slice(0, near(move[2], 0) ? 2 : 3).map(short).join(', ')}`)
  if (isFlat && near(a * c + b * d, 0)) {
    const [x, y] = [Math.hypot(a, b), Math.hypot(c, d) * Math.sign(a * d - b * c)]
    const angle = Math.atan2(b, a) * 180 / Math.PI
    if (!near(angle, 0)) parts.push(`turned by ${short(Math.round(angle * 100) / 100)}°`)
    if (!near(x, 1) || !near(y, 1)) parts.push(near(x, y) ? `scaled by ${short(x)}` : `scaled by ${short(x)}, ${short(y)}`)
    return parts.join(', ') || 'identity'
  }
  const turned = turnInSpace(m)
  if (turned) return [...parts, ...turned].join(', ')
  return [0, 4, 8, 12].map(i => m.slice(i, i + 4).map(n => String(Number(n.toPrecision(3))).replace('-', '−')).join('  ')).join('\n')
}

// How a matrix turns and scales in space, as words; null if it does more, as with perspective.
function turnInSpace(m) {
  const near = (a, b) => Math.abs(a - b) < 1e-4
  if (![3, 7, 11].every(i => near(m[i], 0)) || !near(m[15], 1)) return null
  const axes = [0, 4, 8].map(i => m.slice(i, i + 3))
  const lengths = axes.map(axis => Math.hypot(...axis))
  if (lengths.some(length => near(length, 0))) return null
  const [x, y, z] = axes.map((axis, i) => axis.map(n => n / lengths[i]))
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
  if (![dot(x, y), dot(y, z), dot(z, x)].every(n => near(n, 0))) return null
  const cross = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
  if (dot(cross, z) < 0) return null
  const angle = Math.acos(clamp((x[0] + y[1] + z[2] - 1) / 2, -1, 1))
  const axis = [y[2] - z[1], z[0] - x[2], x[1] - y[0]]
  const length = Math.hypot(...axis)
  const words = []
  if (length > 1e-4) {
    const unit = axis.map(n => Math.round(n / length * 1e3) / 1e3)
    const name = ['x', 'y', 'z'][unit.findIndex(n => near(Math.abs(n), 1))]
    const sign = name && unit.some(n => n < -0.5) ? -1 : 1
    const degrees = short(Math.round(angle * sign * 18000 / Math.PI) / 100)
    words.push(`turned by ${degrees}° about ${name ?? unit.map(short).join(', ')}`)
  } else if (angle > 1) {
    return null
  }
  if (lengths.some(n => !near(n, 1))) words.push(`scaled by ${lengths.map(short).join(', ')}`)
  return words.length ? words : null
}

// Search and the tree.

let rows = []
let rowOf = new Map()
const rowHeight = 26
const elements = new Map()

// What a search looks through.
const texts = new WeakMap()
function textOf(id, state) {
  let text = texts.get(state)
  if (text === undefined) {
    const { path, className, name, isMask } = layers[id]
    text = [name ?? '', className, path, isMask ? 'mask' : '', state.hidden ? reasons[state.hidden.reason] : '',
      ...Object.keys(state.set), ...state.animations.map(({ key, keyPath }) => `${key} ${keyPath ?? ''}`)]
      .join('\n').toLowerCase()
    texts.set(state, text)
  }
  return text
}

const filters = {
  shows: state => !state.hidden,
  hidden: isGone,
  animated: state => state.animations.length > 0,
}

// Makes the list of rows: all layers that are not in a closed one, or those that a search finds with
// the ones around them.
function listRows() {
  const words = state.search.toLowerCase().split(/\s+/).filter(Boolean)
  const filter = filters[state.filter]
  const list = order()
  const { children, depth } = shape()
  rows = []
  let matches = null
  let kept = null
  if (words.length || filter) {
    matches = new Set(list.filter(id => {
      const state = at(id)
      return (!filter || filter(state)) && words.every(word => textOf(id, state).includes(word))
    }))
    kept = new Set(matches)
    for (const id of matches) for (const other of ancestors(id)) kept.add(other)
  }
  let closedDepth = Infinity
  for (const id of list) {
    const d = depth.get(id)
    if (d > closedDepth) continue
    closedDepth = Infinity
    if (kept && !kept.has(id)) continue
    const inside = (children.get(id) ?? []).length
    const isOpen = inside > 0 && (kept ? children.get(id).some(child => kept.has(child)) : !state.closed.has(id))
    if (inside && !isOpen) closedDepth = d
    rows.push({ id, depth: d, inside, isOpen, isContext: Boolean(matches && !matches.has(id)) })
  }
  rowOf = new Map(rows.map((row, i) => [row.id, i]))
  byID('matches').textContent = matches ? `${count(matches.size)} of ${count(list.length)}` : plural(list.length, 'layer')
  byID('rows').style.height = `${rows.length * rowHeight + 8}px`
  if (!rowOf.has(state.active)) state.active = rowOf.has(state.selected) ? state.selected : rows[0]?.id ?? -1
}

const kinds = {
  CALayer: ['L', 215], CAShapeLayer: ['S', 150], CATextLayer: ['T', 265], CAGradientLayer: ['G', 320],
  CAEmitterLayer: ['E', 30], CAReplicatorLayer: ['R', 190], CATransformLayer: ['3', 0],
  CAScrollLayer: ['↕', 100], CATiledLayer: ['#', 80], CAVideoLayer: ['V', 350],
}

function fillRow(element, row, index) {
  const { id, depth, inside, isOpen, isContext } = row
  const layer = layers[id]
  const now = at(id)
  const key = [id, index, isOpen, inside, isContext, state.mark, state.frame, state.active === id].join()
  if (element.dataset.key === key) return
  element.dataset.key = key
  element.dataset.layer = id
  element.className = `row${isGone(now) ? ' gone' : ''}${isContext ? ' context' : ''}`
  element.style.top = `${index * rowHeight}px`
  element.style.paddingLeft = `${6 + Math.min(depth, 24) * 14}px`
  element.tabIndex = state.active === id ? 0 : -1
  element.setAttribute('role', 'treeitem')
  element.setAttribute('aria-level', depth + 1)
  const siblings = childrenOf(layer.parent ?? -1)
  element.setAttribute('aria-setsize', siblings.length)
  if (siblings.length < 2000) element.setAttribute('aria-posinset', siblings.indexOf(id) + 1)
  if (inside) element.setAttribute('aria-expanded', isOpen)
  else element.removeAttribute('aria-expanded')
  const [letter, hue] = kinds[layer.className] ?? [layer.className.replace(/^CA/, '')[0] ?? '?', 215]
  const kind = make('span', `kind${layer.isMask ? ' mask' : ''}`, letter)
  kind.style.setProperty('--hue', hue)
  kind.setAttribute('aria-hidden', 'true')
  const end = make('span', 'end')
  const words = []
  if (layer.isMask) {
    end.append(make('span', 'quiet why empty', 'mask'))
    words.push('mask')
  }
  if (now.animations.length) {
    const moves = make('span', 'moves', '◆')
    moves.title = plural(now.animations.length, 'animation')
    end.append(moves)
    words.push(moves.title)
  }
  if (now.hidden) {
    // A group draws nothing, and need not say so.
    if (isGone(now) || !inside) end.append(make('span', `why ${now.hidden.reason}`, reasons[now.hidden.reason]))
    words.push(reasons[now.hidden.reason])
  }
  const tint = tintOf(now)
  if (tint) {
    const dot = make('span', 'dot')
    dot.style.setProperty('--dot', tint.color)
    dot.title = tint.name
    end.append(dot)
    words.push(tint.name)
  }
  const twist = make('span', 'twist', inside ? '▶' : '')
  twist.setAttribute('aria-hidden', 'true')
  element.replaceChildren(
    twist, kind, make('span', 'name', title(id)), layer.name ? make('span', 'class', layer.className) : '', end)
  element.setAttribute('aria-label', [fullTitle(id), ...words].join(', '))
}

// Makes the rows that are in sight, and the one that has the focus.
function drawTree() {
  const tree = byID('tree')
  const first = Math.max(0, Math.floor(tree.scrollTop / rowHeight) - 4)
  const last = Math.min(rows.length - 1, Math.ceil((tree.scrollTop + tree.clientHeight) / rowHeight) + 4)
  const wanted = new Map()
  for (let i = first; i <= last; i += 1) wanted.set(rows[i].id, i)
  if (rowOf.has(state.active)) wanted.set(state.active, rowOf.get(state.active))
  for (const [id, element] of elements) {
    if (wanted.has(id)) continue
    element.remove()
    elements.delete(id)
  }
  for (const [id, index] of wanted) {
    let element = elements.get(id)
    if (!element) {
      element = make('div')
      elements.set(id, element)
      byID('rows').append(element)
    }
    fillRow(element, rows[index], index)
    element.classList.toggle('pointed', id === state.pointed)
    element.setAttribute('aria-selected', id === state.selected)
  }
}

function scrollToRow(id) {
  const index = rowOf.get(id)
  if (index === undefined) return
  const tree = byID('tree')
  const top = index * rowHeight
  if (top < tree.scrollTop) tree.scrollTop = top - rowHeight
  else if (top + rowHeight > tree.scrollTop + tree.clientHeight) tree.scrollTop = top + 2 * rowHeight - tree.clientHeight
}

// Gives a row the focus.
function focusRow(id) {
  state.active = id
  scrollToRow(id)
  drawTree()
  elements.get(id)?.focus({ preventScroll: true })
}

// Colours, as Instruments has them.

const colors = {
  blended: 'var(--blended)', opaque: 'var(--opaque)', offscreen: 'var(--offscreen)',
  hits: 'var(--opaque)', misses: 'var(--blended)',
}
const cost = ([items, passes, pixels, blended, hits, misses, rasterized]) =>
  ({ items, passes, pixels, blended, hits, misses, rasterized: Boolean(rasterized) })

// The colour that marks a layer, with its name; undefined for none.
function tintOf(now) {
  if (!state.mark || !now.cost) return undefined
  const { passes, pixels, blended, hits, misses } = cost(now.cost)
  const kind = {
    blended: () => blended > 0 ? 'blended' : pixels > 0 ? 'opaque' : '',
    offscreen: () => passes > 0 ? 'offscreen' : '',
    cache: () => misses > 0 ? 'misses' : hits > 0 ? 'hits' : '',
  }[state.mark]()
  const names = { hits: 'from the cache', misses: 'made anew' }
  return kind ? { color: colors[kind], name: names[kind] ?? kind } : undefined
}

function drawLegend() {
  const entries = {
    blended: [['blended', 'mixed with what is below'], ['opaque', 'opaque']],
    offscreen: [['offscreen', 'drawn in a pass of its own']],
    cache: [['hits', 'from the cache'], ['misses', 'made anew']],
  }[state.mark] ?? []
  byID('legend').replaceChildren(...entries.flatMap(([kind, text]) => {
    const dot = make('span', 'dot')
    dot.style.setProperty('--dot', colors[kind])
    return [dot, text]
  }))
}

// The picture.

const sizeOf = () => frames[state.frame].size

function layOutPicture() {
  const stage = byID('stage')
  const [width, height] = sizeOf()
  const room = 24
  const fit = Math.min((stage.clientWidth - room) / width, (stage.clientHeight - room) / height)
  const flat = byID('flat')
  flat.style.width = `${width * fit}px`
  flat.style.height = `${height * fit}px`
  flat.style.left = `${(stage.clientWidth - width * fit) / 2}px`
  flat.style.top = `${(stage.clientHeight - height * fit) / 2}px`
  byID('frame').classList.toggle('enlarged', fit > 2.5 * frames[state.frame].scale)
  return fit
}

function drawPicture() {
  const image = byID('frame')
  const address = pictures[frames[state.frame].image]
  if (image.src !== address) image.src = address
  image.alt = `The frame at ${seconds(frames[state.frame].time)}`
  layOutPicture()
  drawTints()
  drawMarks()
}

function drawTints() {
  const canvas = byID('tints')
  const flat = byID('flat')
  const ratio = devicePixelRatio || 1
  canvas.width = Math.max(1, flat.clientWidth * ratio)
  canvas.height = Math.max(1, flat.clientHeight * ratio)
  canvas.hidden = !state.mark
  if (!state.mark) return
  const context = canvas.getContext('2d')
  const style = getComputedStyle(document.documentElement)
  const [width, height] = sizeOf()
  context.scale(canvas.width / width, canvas.height / height)
  context.globalAlpha = 0.42
  for (const id of paintOrder()) {
    const now = at(id)
    const tint = tintOf(now)
    const polygon = tint && !now.hidden && quad(now)
    if (!polygon) continue
    const part = clips(id).reduce((part, clip) => {
      const window = quad(at(clip))
      return window && part.length ? intersection(part, window) : part
    }, polygon)
    if (!part.length) continue
    context.fillStyle = style.getPropertyValue(tint.color.slice(4, -1)).trim()
    context.beginPath()
    part.forEach(([x, y], i) => i ? context.lineTo(x, y) : context.moveTo(x, y))
    context.fill()
  }
}

function drawMarks() {
  const svg = byID('marks')
  const [width, height] = sizeOf()
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`)
  const shapes = []
  const mark = (id, className) => {
    const now = id < 0 ? undefined : at(id)
    const polygon = now && quad(now)
    if (!polygon) return null
    for (const name of className === 'selected' ? ['halo', className] : [className]) {
      const shape = document.createElementNS('http://www.w3.org/2000/svg', 'polygon')
      shape.setAttribute('points', polygon.map(point => point.join()).join(' '))
      shape.setAttribute('class', name + (isGone(now) && name !== 'halo' ? ' dashed' : ''))
      shape.dataset.layer = id
      shapes.push(shape)
    }
    return polygon
  }
  mark(state.selected, 'selected')
  const polygon = state.pointed === state.selected ? null : mark(state.pointed, 'pointed')
  svg.replaceChildren(...shapes)
  const label = byID('label')
  label.hidden = !polygon
  if (!polygon) return
  const fit = byID('flat').clientWidth / width
  label.textContent = title(state.pointed)
  const [x, y] = [0, 1].map(i => Math.min(...polygon.map(point => point[i])) * fit)
  label.style.left = `${clamp(x, 0, byID('flat').clientWidth - 40)}px`
  label.style.top = `${clamp(y - 22, 0, byID('flat').clientHeight - 20)}px`
}

// The layers at a point of the frame: those that show from the topmost down, then the others.
function layersAt(point) {
  const [seen, others] = [[], []]
  for (const id of paintOrder().reverse()) {
    const now = at(id)
    const polygon = quad(now)
    if (!polygon || !contains(polygon, point) || isInMask(id)) continue
    const isCut = clips(id).some(clip => {
      const window = quad(at(clip))
      return window && !contains(window, point)
    })
    if (now.hidden || isCut) others.push(id)
    else seen.push(id)
  }
  return [...seen, ...others]
}

function framePoint(event) {
  const box = byID('flat').getBoundingClientRect()
  const [width, height] = sizeOf()
  return [(event.clientX - box.left) / box.width * width, (event.clientY - box.top) / box.height * height]
}

// Selects the topmost of some layers, or the one below it if it was selected by a click before there.
let lastClick = null
function selectNext(found, x, y) {
  const isSame = lastClick && Math.hypot(x - lastClick.x, y - lastClick.y) < 4 && lastClick.frame === state.frame
  const place = isSame ? found.indexOf(state.selected) : -1
  lastClick = { x, y, frame: state.frame }
  select(found.length ? found[(place + 1) % found.length] : -1, true)
}

// The exploded view.

const planes = new Map()
const mostPlanes = 600

// Whether a layer is shown as an empty plane: it cannot have pixels.
const unseen = new Set(['isHidden', 'opacity', 'noArea', 'time', 'parent', 'behindEye'])

// How high each layer lies: one above the highest below it that it overlaps.
function heights(ids) {
  const boxes = new Map()
  const placed = []
  for (const id of ids) {
    const f = at(id).frame
    let level = 0
    for (const other of placed) {
      if (other.level < level) continue
      const g = other.frame
      if (f[0] < g[0] + g[2] && g[0] < f[0] + f[2] && f[1] < g[1] + g[3] && g[1] < f[1] + f[3]) level = other.level + 1
    }
    boxes.set(id, level)
    placed.push({ frame: f, level })
  }
  return boxes
}

function planeLayers() {
  const isInside = id => state.selected < 0 || id === state.selected || ancestors(id).includes(state.selected)
  return paintOrder().filter(id => {
    const now = at(id)
    const polygon = now.frame && now.frame.length && now.corners && now.corners.length === 8 && quad(now)
    if (!polygon || Math.abs(area(polygon)) < 0.01) return false
    if (state.alone && !isInside(id)) return false
    if (state.ghosts || id === state.selected) return true
    return !isInMask(id) && !(now.hidden && unseen.has(now.hidden.reason))
  })
}

function drawSpace() {
  const scene = byID('scene')
  const [width, height] = sizeOf()
  const all = planeLayers()
  const ids = all.slice(0, mostPlanes)
  const levels = heights(ids)
  const highest = Math.max(0, ...levels.values())
  const slider = byID('levels')
  slider.max = highest + 1
  if (Number(slider.value) > highest || state.levels === Infinity) slider.value = highest + 1
  const limit = state.levels === Infinity ? highest : state.levels
  const wanted = new Set(ids)
  for (const [id, plane] of planes) {
    if (id === -1 || wanted.has(id)) continue
    plane.remove()
    planes.delete(id)
  }
  const middle = highest / 2
  const frame = planes.get(-1) ?? make('div', 'plane frame')
  planes.set(-1, frame)
  if (!frame.isConnected) scene.append(frame)
  frame.style.width = `${width}px`
  frame.style.height = `${height}px`
  frame.style.transform = `translate3d(${-width / 2}px, ${-height / 2}px, ${(-middle - 0.5) * state.spacing}px)`
  for (const id of ids) {
    let plane = planes.get(id)
    if (!plane) {
      plane = make('div', 'plane')
      plane.dataset.layer = id
      planes.set(id, plane)
    }
    scene.append(plane)
    const level = levels.get(id)
    plane.hidden = level > limit
    fillPlane(plane, id, (level - middle) * state.spacing, [width, height])
  }
  const note = byID('space-note')
  note.hidden = all.length <= mostPlanes && all.length > 0
  note.textContent = all.length
    ? `The lowest ${mostPlanes} of ${count(all.length)} layers. "Selection only" shows those in the selected one.`
    : 'No layer has a plane here.'
  turnScene()
}

function fillPlane(plane, id, z, [width, height]) {
  const now = at(id)
  const polygon = quad(now)
  const [[x0, y0], [x1, y1], , [x3, y3]] = polygon
  const [w, h] = [Math.max(1, Math.hypot(x1 - x0, y1 - y0)), Math.max(1, Math.hypot(x3 - x0, y3 - y0))]
  const map = projection(polygon)
  const [a, b, c, d, e, f, g, k] = map
  plane.style.width = `${w}px`
  plane.style.height = `${h}px`
  const matrix = [a / w, d / w, 0, g / w, b / h, e / h, 0, k / h, 0, 0, 1, 0, c, f, 0, 1]
  plane.style.transform = `translate3d(${-width / 2}px, ${-height / 2}px, ${z}px) matrix3d(${matrix.join()})`
  const isGhost = now.hidden && unseen.has(now.hidden.reason)
  const isMask = isInMask(id)
  plane.className = `plane${isGhost ? ' ghost' : isMask ? ' mask' : ''}${id === state.selected ? ' selected' : id === state.pointed ? ' pointed' : ''}`
  const address = isGhost || now.picture === null || now.picture === undefined ? '' : pictures[now.picture]
  let image = plane.querySelector('img')
  if (address && !image) {
    image = new Image()
    image.alt = ''
    image.draggable = false
    plane.prepend(image)
  }
  if (!address && image) image.remove()
  if (address && image.src !== address) image.src = address
  if (address) image.style.opacity = Math.max(0.12, shownValue(now, 'opacity', 1))
  const tint = tintOf(now)
  let cover = plane.querySelector('i')
  if (tint && !cover) {
    cover = make('i')
    plane.append(cover)
  }
  if (!tint && cover) cover.remove()
  if (tint) cover.style.setProperty('--tint', tint.color)
  let clip = ''
  if (state.clip) {
    const windows = clips(id).map(other => quad(at(other))).filter(Boolean)
    windows.push([[0, 0], [width, 0], [width, height], [0, height]])
    const part = windows.reduce((part, window) => part.length ? intersection(part, window) : part, polygon)
    const points = part.map(point => unproject(map, point).map(n => `${(n * 100).toFixed(3)}%`).join(' '))
    clip = part.length > 2 ? `polygon(${points.join()})` : 'polygon(0 0)'
  }
  plane.style.clipPath = clip
}

function turnScene() {
  const stage = byID('stage')
  const [width, height] = sizeOf()
  const fit = Math.min(stage.clientWidth / width, stage.clientHeight / height) * 0.74 * state.zoom
  byID('scene').style.transform =
    `scale3d(${fit}, ${fit}, ${fit}) rotateX(${-state.pitch}deg) rotateY(${state.yaw}deg)`
  stage.dataset.turn = `${Math.round(state.yaw)},${Math.round(state.pitch)}`
}

function markPlanes() {
  for (const [id, plane] of planes) {
    if (id === -1) continue
    plane.classList.toggle('selected', id === state.selected)
    plane.classList.toggle('pointed', id === state.pointed && id !== state.selected)
  }
}

// Time.

const first = frames[0].time
const last = frames[frames.length - 1].time
// What the strip reaches from and to: the frames, or if there is one, the animations around it.
const span = (() => {
  if (frames.length > 1) return [first, last + (last - first) / (frames.length - 1)]
  const all = Object.values(statesIn(0)).filter(Boolean).flatMap(({ animations }) => animations)
  const near = number => typeof number === 'number' && Math.abs(number - first) < 1e4
  const times = all.flatMap(({ begin, end, duration }) => [begin, end ?? begin + duration]).filter(near)
  const [from, to] = [Math.min(first, ...times), Math.max(first, ...times)]
  return to > from ? [from, to + (to - from) * 0.03] : [first - 0.5, first + 0.5]
})()
const place = time => (time - span[0]) / (span[1] - span[0]) * 100

function makeStrip() {
  const strip = byID('strip')
  strip.setAttribute('aria-valuemax', frames.length - 1)
  strip.classList.toggle('single', frames.length === 1)
  const [width, height] = frames[0].size
  const fitting = Math.max(1, Math.floor(strip.clientWidth / Math.max(30, strip.clientHeight * width / height)))
  const shownFrames = Math.min(frames.length, fitting)
  const images = Array.from({ length: shownFrames }, (_, i) => {
    const image = new Image()
    image.alt = ''
    image.draggable = false
    image.src = pictures[frames[Math.floor(i * frames.length / shownFrames)].image]
    return image
  })
  strip.replaceChildren(...images, make('div', 'head'))
  const length = span[1] - span[0]
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600, 3600].find(step => length / step <= strip.clientWidth / 70) ?? length
  const ticks = []
  for (let i = Math.ceil(span[0] / step); i * step < span[1] && ticks.length < 100; i += 1) {
    const tick = make('span', '', `${short(i * step)} s`)
    tick.style.left = `${place(i * step)}%`
    ticks.push(tick)
  }
  byID('axis').replaceChildren(...ticks)
}

function drawTime() {
  const { time, cost: { items, passes, draws, pixels } } = frames[state.frame]
  byID('now').textContent = seconds(time)
  byID('position').textContent = frames.length > 1 ? `frame ${state.frame + 1} of ${frames.length}` : 'one frame'
  byID('frame-cost').textContent =
    `${plural(items, 'item')} · ${passes === 1 ? '1 pass' : `${count(passes)} passes`} · ${plural(draws, 'draw')} · ${count(pixels)} pixels`
  const strip = byID('strip')
  strip.setAttribute('aria-valuenow', state.frame)
  strip.setAttribute('aria-valuetext', `${seconds(time)}, frame ${state.frame + 1} of ${frames.length}`)
  const left = frames.length > 1 ? (state.frame + 0.5) / frames.length * 100 : place(time)
  for (const head of document.querySelectorAll('.head')) head.style.left = `${left}%`
}

// The animations of a layer in all the frames, and in how many of them it shows.
function animationsOf(id) {
  const found = new Map()
  for (let i = 0; i < frames.length; i += 1) {
    for (const animation of at(id, i)?.animations ?? []) {
      const name = `${animation.key} ${animation.begin}`
      if (!found.has(name)) found.set(name, animation)
    }
  }
  return [...found.values()]
}

function bar(from, to, className = '') {
  const element = make('div', `bar ${className}`)
  const [a, b] = [clamp(place(from), 0, 100), clamp(place(to), 0, 100)]
  element.style.left = `${a}%`
  element.style.width = `${Math.max(0, b - a)}%`
  return element
}

// Where a layer shows, frame by frame, in one track.
function visibilityTrack(id) {
  const track = make('div', 'track visibility')
  const step = 100 / frames.length
  const counts = { shows: 0, empty: 0, not: 0 }
  let begin = 0
  const stateAt = i => {
    const now = at(id, i)
    return !now || isGone(now) ? 'not' : now.hidden ? 'empty' : 'shows'
  }
  for (let i = 0; i < frames.length; i += 1) {
    counts[stateAt(i)] += 1
    if (i + 1 < frames.length && stateAt(i + 1) === stateAt(i)) continue
    const element = make('div', `bar ${stateAt(i)}`)
    element.style.left = `${begin * step}%`
    element.style.width = `${(i + 1 - begin) * step}%`
    track.append(element)
    begin = i + 1
  }
  const text = counts.empty === frames.length ? 'draws nothing itself'
    : counts.shows === frames.length ? 'shows in all frames'
      : counts.shows === 0 ? 'shows in no frame' : `shows in ${counts.shows} of ${frames.length} frames`
  track.append(make('span', 'text', text))
  return track
}

let tracksOf = ''
function drawTracks() {
  const key = state.allAnimations ? `all ${frames.length > 1 ? '' : state.frame}` : String(state.selected)
  if (tracksOf === key) return
  tracksOf = key
  const tracks = []
  const add = (id, animation, withLayer) => {
    const track = make('div', 'track')
    const end = animation.end ?? Infinity
    const element = bar(animation.begin ?? -Infinity, end, end > span[1] ? 'endless' : '')
    const isNamed = animation.key !== animation.keyPath && !/^unnamed /.test(animation.key)
    const words = `${animation.keyPath ?? animation.className}${isNamed ? ` · ${animation.key}` : ''}`
    const text = make('span', 'text', '', ...withLayer ? [layerLink(id), ' · ', words] : [words])
    text.style.left = `calc(${Math.min(clamp(place(animation.begin ?? -Infinity), 0, 100), 80)}% + 0.375rem)`
    track.title = `${words}: from ${seconds(animation.begin)} ${animation.end === undefined || animation.end === null ? 'without end' : `to ${seconds(animation.end)}`}, ${seconds(animation.duration)} a run`
    track.append(element, text)
    tracks.push(track)
  }
  if (state.allAnimations) {
    const most = 300
    for (const id of layers.keys()) {
      if (tracks.length >= most) break
      for (const animation of animationsOf(id)) add(id, animation, true)
    }
    if (!tracks.length) tracks.push(make('div', 'track quiet', 'Nothing is animated.'))
  } else if (state.selected >= 0) {
    if (frames.length > 1) tracks.push(visibilityTrack(state.selected))
    for (const animation of animationsOf(state.selected)) add(state.selected, animation, false)
  }
  const box = byID('tracks')
  box.replaceChildren(...tracks)
  if (tracks.length) box.append(make('div', 'head'))
  const head = box.querySelector('.head')
  if (head) head.style.height = `${tracks.length * 22}px`
  drawTime()
}

function goTo(frame) {
  const next = clamp(frame, 0, frames.length - 1)
  if (next === state.frame) return
  state.frame = next
  changed('time')
}

function play(isOn) {
  clearInterval(state.timer)
  state.timer = 0
  if (isOn && frames.length > 1) {
    const step = clamp((last - first) / (frames.length - 1) * 1000, 33, 1000)
    state.timer = setInterval(() => goTo((state.frame + 1) % frames.length), step)
  }
  const button = byID('play')
  button.textContent = state.timer ? '❚❚' : '▶'
  button.setAttribute('aria-pressed', Boolean(state.timer))
  button.setAttribute('aria-label', state.timer ? 'Stop' : 'Play')
  button.disabled = frames.length < 2
}

// The details.

const section = (name, ...children) => make('section', '', '', make('h3', '', name), ...children)

function pairs(entries) {
  const list = make('dl', 'pairs')
  for (const [name, value] of entries) {
    const cell = make('dd')
    cell.append(...[value].flat())
    list.append(make('dt', '', name), cell)
  }
  return list
}

function drawDetails() {
  const details = byID('details')
  const now = state.selected < 0 ? undefined : at(state.selected)
  const top = details.dataset.layer === String(state.selected) ? details.scrollTop : 0
  details.dataset.layer = state.selected
  if (now) details.replaceChildren(...layerDetails(state.selected, now))
  else details.replaceChildren(...frameDetails())
  details.scrollTop = top
}

function frameDetails() {
  const list = order()
  const counts = new Map()
  for (const id of list) {
    const { hidden } = at(id)
    if (hidden) counts.set(hidden.reason, (counts.get(hidden.reason) ?? 0) + 1)
  }
  const { items, passes, draws, pixels } = frames[state.frame].cost
  const [width, height] = sizeOf()
  const found = []
  if (state.selected >= 0) found.push(section('Selected layer', make('p', '', `${fullTitle(state.selected)} is not in this frame.`)))
  found.push(
    make('h2', '', 'The frame'),
    make('p', 'quiet', 'Click a layer in the picture or in the tree.'),
    section('What drawing it costs', pairs([
      ['Layers', count(list.length)], ['Items', count(items)], ['Passes', count(passes)],
      ['Draw calls', count(draws)], ['Pixels', `${count(pixels)}, ${short(Math.round(pixels / (width * height * frames[state.frame].scale ** 2) * 100) / 100)} × the frame`],
    ])))
  const links = [...counts].sort((a, b) => b[1] - a[1]).map(([reason, number]) => {
    const link = make('button', 'link', reasons[reason])
    link.type = 'button'
    link.dataset.search = reasons[reason]
    return make('li', '', '', link, make('span', '', count(number)))
  })
  if (links.length) found.push(section('Layers that do not show', make('ul', 'reasons', '', ...links)))
  return found
}

function layerDetails(id, now) {
  const layer = layers[id]
  const [letter, hue] = kinds[layer.className] ?? [layer.className.replace(/^CA/, '')[0] ?? '?', 215]
  const kind = make('span', `kind${layer.isMask ? ' mask' : ''}`, letter)
  kind.style.setProperty('--hue', hue)
  kind.setAttribute('aria-hidden', 'true')
  const trail = make('p', 'trail quiet')
  for (const other of ancestors(id).reverse()) trail.append(layerLink(other), ' › ')
  trail.append(title(id))
  const found = [make('section', '', '',
    make('h2', '', '', kind, make('span', '', title(id))),
    make('p', 'quiet', `${layer.isMask ? 'mask, ' : ''}${layer.className}, path ${layer.path || '—'}`),
    ancestors(id).length ? trail : '')]

  if (now.hidden) {
    const name = isGone(now) ? 'Why it does not show' : 'It draws nothing itself'
    const card = make('section', `card${isGone(now) ? '' : ' calm'}`, '', make('h3', '', name), ...whyChain(id))
    const other = frames.findIndex((_, i) => { const then = at(id, i); return then && !then.hidden })
    if (other >= 0) {
      const go = make('button', 'link', `It shows at ${seconds(frames[other].time)}`)
      go.type = 'button'
      go.dataset.frame = other
      card.append(make('p', '', '', go))
    }
    found.push(card)
  } else {
    found.push(make('p', 'fine', '✓ It shows in this frame.'))
  }

  const isDrawn = now.picture !== null && now.picture !== undefined
  if (isDrawn) {
    const image = new Image()
    image.className = 'own'
    image.alt = `What ${title(id)} draws itself`
    image.src = pictures[now.picture]
    found.push(section('Its own picture', image))
  }

  const numbers = list => list && list.length ? list.map(n => n === null ? '∞' : short(Math.round(n * 100) / 100)) : null
  const rectangle = list => {
    const n = numbers(list)
    return n ? `${n[2]} × ${n[3]} at ${n[0]}, ${n[1]}` : 'none'
  }
  found.push(section('Place', pairs([['On the frame', rectangle(now.frame)], ['Bounds', rectangle(now.bounds)]])))
  found.push(properties(now))
  if (now.animations.length) found.push(animations(now))
  found.push(clock(now), costs(now))
  return found
}

// A name that may be broken before a capital.
const brokenName = name => name.split(/(?=[A-Z.])/).flatMap((part, i) => i ? [make('wbr'), part] : [part])

function properties(now) {
  const names = Object.keys(now.set).sort()
  if (!names.length) return section('Properties', make('p', 'quiet', 'All are as in a new layer.'))
  const table = make('table', 'properties')
  const head = make('tr')
  for (const text of ['Property', 'As set', 'As shown']) {
    const cell = make('th', '', text)
    cell.scope = 'col'
    head.append(cell)
  }
  const body = make('tbody')
  for (const name of names) {
    const set = now.set[name]
    const row = make('tr')
    row.dataset.property = name
    const header = make('th', '', '', ...brokenName(name))
    header.scope = 'row'
    const isSame = !(name in now.shown)
    const cell = make('td', '', '', ...valueNodes(set))
    row.append(header, cell)
    if (isSame) {
      cell.colSpan = 2
    } else {
      const other = make('td', 'differs', '', ...valueNodes(now.shown[name]))
      row.append(other)
    }
    body.append(row)
  }
  table.append(make('thead', '', '', head), body)
  return section('Properties that are not the defaults', table)
}

function animations(now) {
  const list = make('ul')
  now.animations.forEach((animation, i) => {
    const [local, progress] = now.progress[i] ?? []
    const hasEnd = animation.end !== undefined && animation.end !== null
    const item = make('li', '', '',
      make('strong', '', animation.keyPath ?? animation.className), ' ',
      make('span', 'quiet', animation.keyPath ? animation.className : ''),
      make('div', '', `${seconds(animation.begin)} to ${hasEnd ? seconds(animation.end) : 'no end'}, ${seconds(animation.duration)} a run; its time is ${seconds(local)}`))
    if (typeof progress === 'number') {
      const meter = make('div', 'meter')
      meter.setAttribute('role', 'meter')
      meter.setAttribute('aria-label', 'How far the run is, in percent')
      meter.setAttribute('aria-valuemin', 0)
      meter.setAttribute('aria-valuemax', 100)
      meter.setAttribute('aria-valuenow', Math.round(progress * 100))
      const value = make('b')
      value.style.width = `${progress * 100}%`
      meter.append(value)
      item.append(meter)
    } else {
      item.append(make('div', 'quiet', 'It does not apply now.'))
    }
    list.append(item)
  })
  return section('Animations', list)
}

function clock(now) {
  const [, begin, speed, offset, rate] = now.clock
  const entries = [['Its own time', seconds(localTime(now))]]
  if (begin) entries.push(['Begins at', seconds(begin)])
  if (speed !== 1) entries.push(['Speed', short(speed)])
  if (offset) entries.push(['Time offset', seconds(offset)])
  if (rate !== 1) entries.push(['In a second', rate === 0 ? 'no time passes' : `${seconds(rate)} pass`])
  return section('Clock', pairs(entries))
}

function costs(now) {
  const { items, passes, pixels, blended, hits, misses, rasterized } = cost(now.cost)
  const dotted = (kind, text) => {
    const dot = make('span', 'dot')
    dot.style.setProperty('--dot', colors[kind])
    return make('span', '', '', dot, text)
  }
  const counts = make('div', 'counts')
  if (pixels) counts.append(dotted('blended', `${count(blended)} blended`), dotted('opaque', `${count(pixels - blended)} opaque`))
  if (passes) counts.append(dotted('offscreen', passes === 1 ? '1 pass offscreen' : `${passes} passes offscreen`))
  if (hits) counts.append(dotted('hits', plural(hits, 'hit')))
  if (misses) counts.append(dotted('misses', misses === 1 ? '1 miss' : `${count(misses)} misses`))
  if (rasterized) counts.append(make('span', '', 'rasterized'))
  const found = [pairs([['Items', count(items)], ['Pixels', count(pixels)]])]
  if (pixels) {
    const share = make('div', 'share')
    share.setAttribute('aria-hidden', 'true')
    for (const [kind, part] of [['blended', blended], ['opaque', pixels - blended]]) {
      const piece = make('b')
      piece.style.setProperty('--dot', colors[kind])
      piece.style.width = `${part / pixels * 100}%`
      share.append(piece)
    }
    found.push(share)
  }
  if (counts.childNodes.length) found.push(counts)
  return section('What drawing it costs, without those inside', ...found)
}

// What changes.

const dirty = new Set()

// Draws what depends on something that changed, before the next frame of the screen.
function changed(...what) {
  if (!dirty.size) requestAnimationFrame(draw)
  for (const name of what) dirty.add(name)
  remember()
}

function draw() {
  const what = new Set(dirty)
  dirty.clear()
  const has = (...names) => names.some(name => what.has(name))
  if (has('time', 'rows', 'all')) listRows()
  if (has('time', 'rows', 'selection', 'pointed', 'mark', 'scroll', 'all')) drawTree()
  if (has('mark', 'all')) drawLegend()
  if (has('time', 'view', 'all')) drawView()
  else if (has('space', 'selection') && state.view === 'exploded') drawView()
  else if (has('mark')) state.view === 'flat' ? drawTints() : drawSpace()
  if (has('selection', 'pointed')) state.view === 'flat' ? drawMarks() : markPlanes()
  if (has('turn') && state.view === 'exploded') turnScene()
  if (has('time', 'all')) drawTime()
  if (has('selection', 'tracks', 'all') || (has('time') && frames.length === 1)) drawTracks()
  if (has('time', 'selection', 'all')) drawDetails()
}

function drawView() {
  const isFlat = state.view === 'flat'
  for (const button of byID('views').children) button.setAttribute('aria-pressed', button.dataset.view === state.view)
  byID('flat').hidden = !isFlat
  byID('space').hidden = isFlat
  byID('space-controls').hidden = isFlat
  byID('stage').setAttribute('aria-label', isFlat ? 'Picture' : 'Exploded view')
  if (isFlat) {
    byID('space-note').hidden = true
    drawPicture()
  } else {
    drawSpace()
  }
}

// Selects a layer. In the tree it is made visible: the layers around it open, and a search that hides
// it ends.
function select(id, reveal = false) {
  if (id >= 0) {
    if (state.selected !== id) byID('said').textContent = `${fullTitle(id)} selected`
    state.active = id
    if (reveal) {
      for (const other of ancestors(id)) state.closed.delete(other)
      if ((state.search || state.filter) && !rowOf.has(id)) setSearch('', '')
      listRows()
      scrollToRow(id)
    }
  }
  state.selected = id
  changed('rows', 'selection')
}

function point(id) {
  if (state.pointed === id) return
  state.pointed = id
  changed('pointed')
}

function setSearch(search, filter = state.filter) {
  state.search = search
  state.filter = filter
  byID('search').value = search
  for (const button of byID('filters').querySelectorAll('button')) button.setAttribute('aria-pressed', button.dataset.filter === filter)
  changed('rows')
}

function setView(view) {
  state.view = view
  changed('view')
}

function setTheme(theme) {
  state.theme = theme
  const isDark = theme === 'dark' || (theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
  for (const button of byID('themes').children) button.setAttribute('aria-pressed', button.dataset.theme === theme)
  changed('mark')
}

// Goes to the layer that keeps the selected one from showing.
function goToCause() {
  const by = state.selected < 0 ? null : at(state.selected)?.hidden?.by
  if (by !== null && by !== undefined) select(by, true)
}

function resetSpace() {
  Object.assign(state, { yaw: -30, pitch: 18, zoom: 1, spacing: 30, levels: Infinity })
  byID('spacing').value = state.spacing
  changed('space')
}

function turn(yaw, pitch) {
  state.yaw = ((state.yaw + yaw + 180) % 360 + 360) % 360 - 180
  state.pitch = clamp(state.pitch + pitch, -90, 90)
  changed('turn')
}

function setSpacing(spacing) {
  state.spacing = clamp(spacing, 0, 120)
  byID('spacing').value = state.spacing
  changed('space')
}

function setZoom(zoom) {
  state.zoom = clamp(zoom, 0.2, 8)
  changed('turn')
}

// A page that a preview serves keeps what is shown while the document changes.

const memory = 'lamina-inspector'
const kept = ['view', 'mark', 'yaw', 'pitch', 'zoom', 'spacing', 'clip', 'ghosts', 'alone', 'allAnimations', 'theme', 'search', 'filter']

function remember() {
  if (!window.laminaPreview) return
  const picked = Object.fromEntries(kept.map(name => [name, state[name]]))
  const selected = state.selected < 0 ? null : layers[state.selected].path
  const closed = [...state.closed].map(id => layers[id].path)
  try {
    sessionStorage.setItem(memory, JSON.stringify({ ...picked, selected, closed, time: lookedAt() }))
  } catch { /* Without storage, nothing is kept. */ }
  window.laminaPreview.lookAt?.(lookedAt())
}

// The moment that is looked at. A page that has only one of them stays for as long as the others take.
let recalled = null
const lookedAt = () => window.laminaPreview.isPart && recalled !== null ? recalled : frames[state.frame].time

function recall() {
  if (!window.laminaPreview) return
  let old = null
  try { old = JSON.parse(sessionStorage.getItem(memory)) } catch { /* As new. */ }
  if (!old) return
  for (const name of kept) if (typeof old[name] === typeof state[name]) state[name] = old[name]
  const near = time => frames.reduce((best, frame, i) => Math.abs(frame.time - time) < Math.abs(frames[best].time - time) ? i : best, 0)
  recalled = Number(old.time) || 0
  state.frame = near(recalled)
  const paths = new Map(order().map(id => [layers[id].path, id]))
  state.selected = paths.get(old.selected) ?? -1
  state.closed = new Set((old.closed ?? []).map(path => paths.get(path)).filter(id => id !== undefined))
  if (state.selected >= 0) state.active = state.selected
}

// Events.

function listenToTree() {
  const tree = byID('tree')
  const layerOf = event => {
    const row = event.target.closest('.row')
    return row ? Number(row.dataset.layer) : -1
  }
  const toggle = id => {
    if (state.closed.has(id)) state.closed.delete(id)
    else state.closed.add(id)
    changed('rows')
  }
  tree.addEventListener('scroll', () => changed('scroll'), { passive: true })
  tree.addEventListener('click', event => {
    const id = layerOf(event)
    if (id < 0) return
    if (event.target.closest('.twist') && childrenOf(id).length) return toggle(id)
    select(id)
    focusRow(id)
  })
  tree.addEventListener('dblclick', event => {
    const id = layerOf(event)
    if (id >= 0 && childrenOf(id).length && !event.target.closest('.twist')) toggle(id)
  })
  tree.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const index = rowOf.get(state.active)
    if (index === undefined) return
    const row = rows[index]
    const page = Math.max(1, Math.floor(tree.clientHeight / rowHeight) - 1)
    const go = to => {
      const id = rows[clamp(to, 0, rows.length - 1)].id
      select(id)
      focusRow(id)
    }
    const keys = {
      ArrowDown: () => go(index + 1),
      ArrowUp: () => go(index - 1),
      PageDown: () => go(index + page),
      PageUp: () => go(index - page),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      ArrowRight: () => row.inside && !row.isOpen ? toggle(row.id) : row.inside ? go(index + 1) : null,
      ArrowLeft: () => {
        if (row.isOpen && !state.search && !state.filter) return toggle(row.id)
        const parent = rowOf.get(layers[row.id].parent)
        if (parent !== undefined) go(parent)
      },
      Enter: () => go(index),
    }
    if (!keys[event.key]) return
    event.preventDefault()
    event.stopPropagation()
    keys[event.key]()
  })
  const search = byID('search')
  for (const name of ['input', 'change']) search.addEventListener(name, () => setSearch(search.value))
  search.addEventListener('keydown', event => {
    if (event.key === 'ArrowDown' || event.key === 'Enter') {
      event.preventDefault()
      const found = rows.find(row => !row.isContext)
      if (!found) return
      select(found.id)
      focusRow(found.id)
    } else if (event.key === 'Escape') {
      setSearch('', '')
    }
    event.stopPropagation()
  })
  byID('filters').addEventListener('click', event => {
    const { filter } = event.target.dataset
    if (filter) setSearch(state.search, state.filter === filter ? '' : filter)
  })
}

function listenToStage() {
  const flat = byID('flat')
  flat.addEventListener('mousemove', event => point(layersAt(framePoint(event))[0] ?? -1))
  flat.addEventListener('click', event => selectNext(layersAt(framePoint(event)), event.clientX, event.clientY))
  const space = byID('space')
  const layersUnder = ({ clientX, clientY }) => document.elementsFromPoint(clientX, clientY)
    .map(element => element.closest('.plane')).filter(plane => plane && plane.dataset.layer)
    .map(plane => Number(plane.dataset.layer))
  let drag = null
  space.addEventListener('pointerdown', event => {
    if (event.button !== 0) return
    space.setPointerCapture(event.pointerId)
    drag = { x: event.clientX, y: event.clientY, moved: 0 }
  })
  space.addEventListener('pointermove', event => {
    if (!drag) return point(layersUnder(event)[0] ?? -1)
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y]
    drag = { x: event.clientX, y: event.clientY, moved: drag.moved + Math.abs(x) + Math.abs(y) }
    if (drag.moved < 5) return
    space.classList.add('turning')
    turn(x * 0.35, -y * 0.35)
  })
  space.addEventListener('pointerup', event => {
    const isClick = drag && drag.moved < 5
    drag = null
    space.classList.remove('turning')
    if (isClick) selectNext([...new Set(layersUnder(event))], event.clientX, event.clientY)
  })
  space.addEventListener('pointercancel', () => { drag = null })
  space.addEventListener('wheel', event => {
    event.preventDefault()
    setZoom(state.zoom * Math.exp(-event.deltaY * 0.0012))
  }, { passive: false })
  byID('views').addEventListener('click', event => event.target.dataset.view && setView(event.target.dataset.view))
  byID('mark').addEventListener('change', event => {
    state.mark = event.target.value
    changed('mark')
  })
  byID('spacing').addEventListener('input', event => setSpacing(Number(event.target.value)))
  byID('levels').addEventListener('input', event => {
    const { value, max } = event.target
    state.levels = value === max ? Infinity : Number(value) - 1
    changed('space')
  })
  for (const name of ['clip', 'ghosts', 'alone']) {
    byID(name).addEventListener('change', event => {
      state[name] = event.target.checked
      changed('space')
    })
  }
  byID('reset').addEventListener('click', resetSpace)
  new ResizeObserver(() => changed('view')).observe(byID('stage'))
  byID('stage').addEventListener('keydown', event => {
    if (state.view !== 'exploded' || event.ctrlKey || event.metaKey || event.altKey) return
    const turns = { ArrowLeft: [-6, 0], ArrowRight: [6, 0], ArrowUp: [0, 6], ArrowDown: [0, -6] }[event.key]
    if (!turns) return
    event.preventDefault()
    event.stopPropagation()
    turn(...turns)
  })
}

function listenToTime() {
  const strip = byID('strip')
  const follow = event => {
    const box = strip.getBoundingClientRect()
    goTo(Math.floor((event.clientX - box.left) / box.width * frames.length))
  }
  strip.addEventListener('pointerdown', event => {
    strip.setPointerCapture(event.pointerId)
    play(false)
    follow(event)
  })
  strip.addEventListener('pointermove', event => strip.hasPointerCapture(event.pointerId) && follow(event))
  strip.addEventListener('keydown', event => {
    const steps = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }
    if (!(event.key in steps)) return
    event.preventDefault()
    goTo(state.frame + steps[event.key])
  })
  byID('play').addEventListener('click', () => play(!state.timer))
  byID('all-animations').addEventListener('change', event => {
    state.allAnimations = event.target.checked
    changed('tracks')
  })
  new ResizeObserver(makeStripAgain).observe(strip)
}

function makeStripAgain() {
  makeStrip()
  drawTime()
}

function listenToKeys() {
  const keys = {
    ArrowLeft: () => goTo(state.frame - 1), ArrowRight: () => goTo(state.frame + 1),
    ',': () => goTo(state.frame - 1), '.': () => goTo(state.frame + 1),
    Home: () => goTo(0), End: () => goTo(frames.length - 1),
    ' ': () => play(!state.timer),
    '/': () => byID('search').focus(),
    e: () => setView(state.view === 'flat' ? 'exploded' : 'flat'),
    '[': () => setSpacing(state.spacing - 6), ']': () => setSpacing(state.spacing + 6),
    '+': () => setZoom(state.zoom * 1.2), '=': () => setZoom(state.zoom * 1.2), '-': () => setZoom(state.zoom / 1.2),
    0: resetSpace,
    c: () => byID('clip').click(),
    w: goToCause,
    Escape: () => select(-1),
    '?': () => byID('keys').showModal(),
  }
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || byID('keys').open) return
    const { target } = event
    const isField = target.matches?.('input, select, textarea')
    if (isField && (event.key.length > 1 || target.type !== 'checkbox' || event.key === ' ')) return
    if (event.key === ' ' && target.matches?.('button')) return
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
    if (!Object.hasOwn(keys, key)) return
    event.preventDefault()
    keys[key]()
  })
  byID('show-keys').addEventListener('click', () => byID('keys').showModal())
}

function listenToLinks() {
  document.addEventListener('click', event => {
    const link = event.target.closest?.('.link')
    if (!link) return
    if (link.dataset.layer) select(Number(link.dataset.layer), true)
    else if (link.dataset.search) setSearch(link.dataset.search, '')
    else if (link.dataset.frame) goTo(Number(link.dataset.frame))
  })
  // In the picture and in the exploded view, the pointer's moves say which layer it points at.
  document.addEventListener('mouseover', ({ target }) => {
    const named = target.closest?.('.row, .link[data-layer]')
    if (named) point(Number(named.dataset.layer))
    else if (!target.closest?.('#flat, #space')) point(-1)
  })
  document.documentElement.addEventListener('mouseleave', () => point(-1))
  byID('themes').addEventListener('click', event => event.target.dataset.theme && setTheme(event.target.dataset.theme))
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => setTheme(state.theme))
}

function start() {
  document.title = `${data.title} – layers`
  byID('title').textContent = data.title
  const [width, height] = frames[0].size
  const scale = frames[0].scale
  byID('facts').textContent = [
    `${short(width)} × ${short(height)}${scale === 1 ? '' : ` at ${short(scale)}×`}`,
    plural(order(0).length, 'layer'), frames.length > 1 ? `${frames.length} frames, ${seconds(first)} to ${seconds(last)}` : `at ${seconds(first)}`,
  ].join(' · ')
  recall()
  for (const name of ['clip', 'ghosts', 'alone']) byID(name).checked = state[name]
  byID('all-animations').checked = state.allAnimations
  byID('mark').value = state.mark
  byID('spacing').value = state.spacing
  setSearch(state.search, state.filter)
  setTheme(state.theme)
  makeStrip()
  play(false)
  listenToTree()
  listenToStage()
  listenToTime()
  listenToKeys()
  listenToLinks()
  listRows()
  scrollToRow(state.selected)
  changed('all', 'view')
}

start()
