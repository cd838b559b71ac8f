'use strict'

const data = JSON.parse(document.getElementById('data').textContent)
const pairs = data.pairs
const byID = id => document.getElementById(id)

// What is shown. `zoom` is 0 to fit, or the screen's pixels for one of the picture.
const state = { index: 0, view: 'side', zoom: 0, divider: 50, accepted: new Set(), timer: 0 }
const zooms = [0, 1, 2, 4, 8, 16]

// An element with a class, a text and children.
function make(tag, className = '', text = '', ...children) {
  const element = document.createElement(tag)
  if (className) element.className = className
  if (text) element.textContent = text
  element.append(...children)
  return element
}

const count = number => number.toLocaleString('en')
const short = number => number === 0 || number >= 0.001 ? number.toPrecision(3) : '< 0.001'
const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? '' : 's'}`

// The views.

// An image in a layer of its own. `kind` is reference, result or drawing.
function layer(pair, kind) {
  const image = new Image()
  image.alt = { reference: 'The reference', result: 'The result', drawing: 'What differs' }[kind]
  image.draggable = false
  image.addEventListener('load', layOut)
  image.src = pair[kind]
  return make('div', `layer ${kind}`, '', image)
}

function pane(className, captions, ...layers) {
  const scroller = make('div', 'scroller', '', make('div', 'sheet', '', ...layers))
  scroller.tabIndex = 0
  return make('figure', `pane ${className}`, '', make('figcaption', '', '', ...captions), scroller)
}

const views = {
  side(pair) {
    const panes = [
      pane('', ['Reference'], layer(pair, 'reference')),
      pane('', ['Result'], layer(pair, 'result')),
    ]
    // Both show the same part.
    const [a, b] = panes.map(pane => pane.querySelector('.scroller'))
    const follow = (from, to) => from.addEventListener('scroll', () => {
      to.scrollLeft = from.scrollLeft
      to.scrollTop = from.scrollTop
    })
    follow(a, b)
    follow(b, a)
    return panes
  },

  difference(pair) {
    const box = make('div', 'box')
    return [pane('difference', ['What differs, in red'], layer(pair, 'drawing'), box)]
  },

  swipe(pair) {
    const divider = make('div', 'divider')
    divider.tabIndex = 0
    divider.setAttribute('role', 'slider')
    divider.setAttribute('aria-label', 'How much of the reference is shown, in percent')
    const swipe = pane(
      'swipe', ['Reference', make('span', '', 'Result')],
      layer(pair, 'reference'), layer(pair, 'result'), divider)
    const sheet = swipe.querySelector('.sheet')
    const follow = event => {
      const { left, width } = sheet.getBoundingClientRect()
      moveDivider((event.clientX - left) / width * 100)
    }
    sheet.addEventListener('pointerdown', event => {
      sheet.setPointerCapture(event.pointerId)
      follow(event)
    })
    sheet.addEventListener('pointermove', event => {
      if (sheet.hasPointerCapture(event.pointerId)) follow(event)
    })
    return [swipe]
  },

  flicker(pair) {
    const captions = [
      make('span', 'of-reference', 'Reference'), make('span', 'of-result', 'Result'),
    ]
    const flicker = pane('flicker', captions, layer(pair, 'reference'), layer(pair, 'result'))
    flicker.dataset.shown = 'reference'
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
    if (!isStill) state.timer = setInterval(flip, 700)
    return [flicker]
  },
}

// Whether the pair has what a view shows.
function has(pair, view) {
  return view === 'difference' ? Boolean(pair.drawing) : Boolean(pair.reference && pair.result)
}

function flip() {
  const flicker = document.querySelector('.flicker')
  if (flicker) flicker.dataset.shown = flicker.dataset.shown === 'result' ? 'reference' : 'result'
}

function moveDivider(percent) {
  const divider = document.querySelector('.divider')
  if (!divider) return
  state.divider = Math.min(100, Math.max(0, percent))
  divider.closest('.sheet').style.setProperty('--divider', `${state.divider}%`)
  divider.setAttribute('aria-valuenow', Math.round(state.divider))
}

// Gives the images and their sheets their sizes.
function layOut() {
  const stage = byID('stage')
  const sheets = [...stage.querySelectorAll('.sheet')].map(sheet => {
    const images = [...sheet.querySelectorAll('img')]
    const room = sheet.parentElement
    return {
      sheet, images,
      width: Math.max(1, ...images.map(image => image.naturalWidth)),
      height: Math.max(1, ...images.map(image => image.naturalHeight)),
      room: [room.offsetWidth - 34, room.offsetHeight - 34],
    }
  })
  // All have one scale. What is enlarged has whole pixels.
  const fitting = Math.min(...sheets.map(
    ({ width, height, room }) => Math.min(room[0] / width, room[1] / height)))
  const whole = fitting >= 1 ? Math.min(8, Math.floor(fitting)) : Math.max(0.01, fitting)
  const scale = state.zoom || whole
  stage.classList.toggle('enlarged', scale > 1)
  for (const { sheet, images, width, height } of sheets) {
    sheet.style.width = `${width * scale}px`
    sheet.style.height = `${height * scale}px`
    for (const image of images) {
      image.style.width = `${image.naturalWidth * scale}px`
      image.style.height = `${image.naturalHeight * scale}px`
    }
    // Centred, but with its edges on the screen's pixels.
    sheet.style.translate = ''
    const { left, top } = sheet.getBoundingClientRect()
    sheet.style.translate = `${Math.round(left) - left}px ${Math.round(top) - top}px`
  }
  const box = stage.querySelector('.box')
  const place = pairs[state.index].figures?.box
  if (box) box.hidden = !place
  if (box && place) {
    box.style.left = `${place.x * scale}px`
    box.style.top = `${place.y * scale}px`
    box.style.width = `${place.width * scale}px`
    box.style.height = `${place.height * scale}px`
  }
}

function setZoom(zoom) {
  state.zoom = zoom
  byID('zoom').textContent = zoom ? `${zoom} : 1` : 'Fit'
  byID('zoom-out').disabled = zoom === 0
  byID('zoom-in').disabled = zoom === zooms.at(-1)
  layOut()
}

const stepZoom = step => setZoom(
  zooms[Math.min(zooms.length - 1, Math.max(0, zooms.indexOf(state.zoom) + step))])

// The pair that is shown.

function showStage() {
  clearInterval(state.timer)
  const pair = pairs[state.index]
  const view = has(pair, state.view) ? state.view : has(pair, 'side') ? 'side' : null
  for (const button of byID('views').children) {
    button.disabled = !has(pair, button.dataset.view)
    button.setAttribute('aria-pressed', button.dataset.view === view)
  }
  const stage = byID('stage')
  if (view) stage.replaceChildren(...views[view](pair))
  else if (pair.reference) stage.replaceChildren(pane('', ['Reference'], layer(pair, 'reference')))
  else if (pair.result) stage.replaceChildren(pane('', ['Result'], layer(pair, 'result')))
  else stage.replaceChildren()
  moveDivider(state.divider)
  layOut()
}

function showFigures(pair) {
  const rows = []
  const row = (name, value) =>
    rows.push(make('div', '', '', make('dt', '', name), make('dd', '', value)))
  const figures = pair.figures
  if (figures) {
    const percent = +short(figures.percent) || '< 0.001'
    row(
      data.limit === '0' ? 'Pixels that differ' : `Pixels that differ by more than ${data.limit}`,
      `${count(figures.differingCount)} of ${count(figures.pixelCount)}, ${percent} %`)
    if (figures.perceived) {
      row('ΔE, mean', short(figures.perceived.mean))
      row('ΔE, greatest', short(figures.perceived.greatest))
    }
    row('Channels, mean', `${short(figures.mean)} of 255`)
    row('Channels, greatest', `${figures.greatest} of 255`)
    if (figures.box) {
      const { x, y, width, height } = figures.box
      row('Within', `${width} × ${height} at ${x}, ${y}`)
    }
  }
  byID('figures').replaceChildren(...rows)
  byID('figures').hidden = !rows.length
}

function show(index) {
  state.index = Math.min(pairs.length - 1, Math.max(0, index))
  const pair = pairs[state.index]
  byID('name').textContent = pair.name
  byID('position').textContent = `${state.index + 1} of ${pairs.length}`
  const missing = { removed: `Only in ${data.first}.`, new: `Only in ${data.second}.` }
  byID('message').textContent = pair.message ?? missing[pair.kind] ?? ''
  byID('message').hidden = !byID('message').textContent
  byID('controls').hidden = !(pair.reference || pair.result)
  showFigures(pair)
  showStage()
  showAccepted()
  for (const [i, item] of [...byID('pairs').children].entries()) {
    item.firstChild.setAttribute('aria-current', i === state.index)
  }
  const item = byID('pairs').children[state.index]
  item.scrollIntoView({ block: 'nearest' })
  if (document.activeElement.closest('#pairs')) item.firstChild.focus()
}

function setView(view) {
  if (!has(pairs[state.index], view)) return
  state.view = view
  showStage()
}

// What is accepted.

const acceptable = pairs.map((_, index) => index).filter(index => pairs[index].commands.length)

function toggle(index) {
  if (!pairs[index].commands.length) return
  if (!state.accepted.delete(index)) state.accepted.add(index)
  showAccepted()
}

function toggleAll() {
  state.accepted = new Set(state.accepted.size === acceptable.length ? [] : acceptable)
  showAccepted()
}

// The lines that make the folders that are missing come once.
function script() {
  const lines = acceptable.filter(index => state.accepted.has(index))
    .flatMap(index => pairs[index].commands)
  return [...new Set(lines)].map(line => line + '\n').join('')
}

function showAccepted() {
  const pair = pairs[state.index]
  const isAccepted = state.accepted.has(state.index)
  const names = { new: 'Accept as new', removed: 'Accept its removal' }
  byID('accept').textContent = isAccepted ? 'Accepted' : names[pair.kind] ?? 'Accept'
  byID('accept').disabled = !pair.commands.length
  byID('accept').setAttribute('aria-pressed', isAccepted)
  const isAll = state.accepted.size === acceptable.length
  byID('accept-all').textContent = isAll && acceptable.length ? 'Take all back' : 'Accept all'
  byID('accept-all').disabled = !acceptable.length
  for (const [i, item] of [...byID('pairs').children].entries()) {
    item.classList.toggle('accepted', state.accepted.has(i))
  }
  byID('commands').hidden = !state.accepted.size
  byID('commands-title').textContent =
    `To accept ${plural(state.accepted.size, 'picture')}, run this in a shell:`
  byID('script').value = script()
  byID('script').rows = Math.min(6, state.accepted.size + 1)
  byID('copy').textContent = 'Copy'
  layOut()
}

async function copy() {
  try {
    await navigator.clipboard.writeText(script())
  } catch {
    byID('script').select()
    document.execCommand('copy')
  }
  byID('copy').textContent = 'Copied'
}

// The page.

function listItem(pair, index) {
  const words = { failed: 'not compared', removed: 'missing', new: 'new', size: 'size' }
  const badness = words[pair.kind] ?? `ΔE ${short(pair.figures.perceived?.mean ?? 0)}`
  const start = pair.name.lastIndexOf('/') + 1
  const name = make(
    'span', 'name', '', make('span', 'quiet', pair.name.slice(0, start)), make('wbr'),
    pair.name.slice(start))
  const button = make('button', '', '', name, make('span', 'badness', badness))
  button.type = 'button'
  button.addEventListener('click', () => show(index))
  return make('li', pair.kind, '', button)
}

function totals() {
  const { different, referenceOnly, resultOnly, failed, closeEnough, identical } = data.totals
  return [
    [failed, 'not compared'], [referenceOnly, 'missing'], [resultOnly, 'new'],
    [different, 'different'], [closeEnough, 'close enough'], [identical, 'identical'],
  ].filter(([number]) => number).map(([number, word]) => `${count(number)} ${word}`).join(', ')
}

const keys = {
  j: () => show(state.index + 1), n: () => show(state.index + 1),
  k: () => show(state.index - 1), p: () => show(state.index - 1),
  ArrowDown: () => show(state.index + 1), ArrowUp: () => show(state.index - 1),
  ArrowLeft: () => moveDivider(state.divider - 2), ArrowRight: () => moveDivider(state.divider + 2),
  1: () => setView('side'), 2: () => setView('difference'),
  3: () => setView('swipe'), 4: () => setView('flicker'),
  f: () => { clearInterval(state.timer); flip() },
  z: () => setZoom(state.zoom ? 0 : 8), 0: () => setZoom(0),
  '+': () => stepZoom(1), '=': () => stepZoom(1), '-': () => stepZoom(-1),
  a: () => toggle(state.index),
  '?': () => byID('keys').showModal(),
}

function start() {
  // The folders that both are in go without saying.
  const [first, second] = [data.first.split('/'), data.second.split('/')]
  let shared = 0
  while (shared < Math.min(first.length, second.length) - 1 && first[shared] === second[shared]) {
    shared += 1
  }
  byID('first').textContent = first.slice(shared).join('/')
  byID('second').textContent = second.slice(shared).join('/')
  byID('first').title = data.first
  byID('second').title = data.second
  byID('totals').textContent = totals()
  document.title = `${pairs.length ? plural(pairs.length, 'difference') : 'Equal'}: ${data.second}`
  if (!pairs.length) {
    byID('equal').hidden = false
    const rest = document.querySelectorAll('nav, main, header button')
    for (const element of rest) element.hidden = true
    return
  }
  byID('pairs').append(...pairs.map(listItem))
  byID('accept').addEventListener('click', () => toggle(state.index))
  byID('accept-all').addEventListener('click', toggleAll)
  byID('copy').addEventListener('click', copy)
  byID('show-keys').addEventListener('click', keys['?'])
  byID('zoom').addEventListener('click', keys.z)
  byID('zoom-in').addEventListener('click', keys['+'])
  byID('zoom-out').addEventListener('click', keys['-'])
  byID('views').addEventListener('click', event => {
    if (event.target.dataset.view) setView(event.target.dataset.view)
  })
  addEventListener('resize', layOut)
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || byID('keys').open) return
    if (event.target === byID('script') || !Object.hasOwn(keys, event.key)) return
    // What is larger than its pane scrolls by the arrows.
    const scroller = event.target.closest?.('.scroller')
    const scrolls = scroller && !scroller.querySelector('.divider')
      && (scroller.scrollWidth > scroller.clientWidth
        || scroller.scrollHeight > scroller.clientHeight)
    if (scrolls && event.key.startsWith('Arrow')) return
    event.preventDefault()
    keys[event.key]()
  })
  show(0)
  setZoom(0)
}

start()
