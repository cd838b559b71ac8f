import Lamina

/// The commands of the tool, with their flags: the one table that the parser, `lamina help`, the
/// manual and the shells' completions read.
enum Commands {
  static var all: [Command] { inOrder.map(\.self) }

  /// All of them, made as they are asked for: `render` does not wait for the others.
  static var inOrder: some Sequence<Command> {
    let parts: [() -> [Command]] = [
      { [render] }, { [join, compare, convert, bench, info, dump, inspect, preview] }, { farm },
      { [helpCommand] },
    ]
    return parts.lazy.flatMap { $0() }
  }

  static let help = Option(name: "--help", short: "-h", help: "this text")

  private static let platformNames = Completion.words(RenderPlatform.allCases.map(\.rawValue))

  /// Films by their names' ends.
  static let filmFiles = Completion.files(OutputForm.FilmFormat.allCases.map(\.rawValue))

  private static let documents = Completion.files(["ca", "caml", "caar", "mp4", "webm", "mkv"])

  private static let platform = Option(
    name: "--platform", value: "NAME",
    completion: platformNames,
    help: "auto (or $LAMINA_PLATFORM), gbm, device, surfaceless or software")

  private static let repeatedPlatform = Option(
    name: "--platform", value: "NAME", repeats: true,
    completion: platformNames, help: "as for render; each case is measured on all that are given")

  private static let renderer = [platform] + process
  private static let process = [
    Option(name: "--in-process", help: "render in this process, not in one of its own"),
    Option(
      name: "--memory", value: "SIZE",
      help: "what pixels may take there, such as 512M or 2G (half of what there is)"),
    Option(name: "--verbose", help: "say what is chosen and why, on stderr"),
  ]

  private static let state = Option(
    name: "--state", value: "NAME[@T]", repeats: true,
    help: "a state of the document to set, at T with its transitions; repeats")

  /// How a document is shown.
  private static let frame = [
    Option(name: "--size", value: "WxH", help: "the frame's size in points (the document's)"),
    Option(name: "--scale", value: "S", help: "pixels per point (1)"),
    state,
  ]

  static let render = Command(
    name: "render", summary: "Render a document to an image, to frames or to a film.",
    arguments: ["DOC"], completion: documents,
    options: [
      Option(name: "--at", value: "T", help: "one frame, at T seconds (0)"),
      Option(name: "--from", value: "T", help: "a film's first frame, in seconds (0)"),
      Option(name: "--to", value: "T", help: "where a film ends, in seconds (the document's end)"),
      Option(name: "--fps", value: "N", help: "a film's frames per second (30)"),
      Option(name: "--count", value: "N", help: "how many frames, spread over the film's time"),
      Option(
        name: "--frames", value: "A-B",
        help: "only these of the film's frames, from 0 on, into a segment, x.mkv"),
      Option(
        name: "--pieces", value: "N",
        help: "encode every N frames apart; with --frames, one such piece, x.mp4 or x.webm"),
      Option(
        name: "--tile", value: "CxR",
        help: "a sheet: x.png with frames in C columns and R rows (C times R frames)"),
    ] + frame + [
      Option(
        name: "--background", value: "COLOR",
        completion: .words(["none", "black", "white", "transparent"]),
        help: "#rgb, #rrggbb, #rrggbbaa, r,g,b[,a] from 0 to 1, a name, or none"),
      Option(
        name: "--debug", value: "WHAT",
        completion: .words(CARenderer.DebugOverlay.allCases.map(\.rawValue)),
        help: "mark blended, offscreen, cache or updates, as Instruments does"),
      Option(
        name: "--output", short: "-o", value: "OUT",
        completion: .files(["png", "mp4", "webm", "gif", "apng", "y4m", "mkv"]),
        help: "x.png, x-%04d.png, x.mp4, x.webm, x.gif, x.apng, x.y4m, x.mkv, or - (raw RGBA)"),
    ] + renderer + [help],
    notes: [
      "DOC is a .ca bundle, a .caml file, a .caar archive, a folder of .ca bundles, or a film such as",
      "x.mp4. It is fitted into the frame and centred. The background is none for PNG and raw",
      "frames, and black for films. mp4, webm, gif and apng are made by ffmpeg. Raw frames are",
      "unpremultiplied, from the top row. What --debug marks of the cache and of updates is seen",
      "against the frame before.",
      "A film without --to lasts as long as the document: until its last animation ends, with one",
      "cycle of what repeats forever (or for over an hour), one life of a particle where emitters",
      "have no end, and a second of a state that is set without a transition. A note says so. With",
      "--fps, --count frames are that far apart; else frame I of N is at FROM + I * (TO - FROM) / N:",
      "the first at FROM, and none at TO, where a loop begins again. Sheets are filled row by row.",
      "A state without @T is set from the start. States with the same time are set together, in",
      "place of those before: --state Locked --state Unlock@1 unlocks after a second.",
      "A segment, x.mkv, has frames without loss, for lamina join. If it is there and whole, nothing",
      "is done. --frames are drawn by the CPU unless --platform or $LAMINA_PLATFORM says otherwise.",
    ],
    examples: [
      Example(
        command: "lamina render scene.ca --at 1.5 --scale 2 -o scene.png",
        says: "A picture of one moment, two pixels to the point."),
      Example(
        command: "lamina render scene.ca --to 2 --fps 30 --size 640x360 -o scene.mp4",
        says: "A film of the first two seconds."),
      Example(
        command: "lamina render scene.ca --to 6 --tile 4x2 -o sheet.png",
        says: "A sheet of eight moments."),
      Example(
        command:
          "lamina render scene.ca --from 2 --to 2.5 --fps 10 --background white -o frame-%02d.png",
        says: "Five frames as files."),
      Example(
        command: "lamina render scene.ca --at 4 --platform software -o - | sha256sum",
        says: "Raw pixels for another program; the CPU makes the same ones everywhere."),
    ])

  static let join = Command(
    name: "join", summary: "Make a film of segments.",
    arguments: ["LIST"],
    options: [
      Option(
        name: "--output", short: "-o", value: "FILM", completion: filmFiles,
        help: "x.mp4, x.webm, x.gif or x.apng"), help,
    ],
    notes: [
      "LIST is a file with the path of a segment on each line, from its own folder, or a folder of",
      "segments, which lamina render --frames A-B -o x.mkv wrote, or pieces, which --pieces did. They",
      "must be whole, of one film and all that it has; their order does not matter. The film has the",
      "bytes of the one that lamina render makes at once, with the same --pieces.",
    ],
    examples: [
      Example(
        command: "lamina render scene.ca --to 1 --frames 0-14 -o parts/a.mkv",
        says: "The first half of a film, on one machine."),
      Example(
        command: "lamina render scene.ca --to 1 --frames 15-29 -o parts/b.mkv",
        says: "The second half, perhaps on another."),
      Example(
        command: "lamina join parts -o film.mp4",
        says: "The film, as if it had been made at once."),
    ])

  static let compare = Command(
    name: "compare", summary: "Compare two pictures or two folders; exit with 1 when they differ.",
    arguments: ["A", "B"],
    options: [
      Option(
        name: "--tolerance", value: "N",
        help: "how far a channel may differ without counting, of 255 (0)"),
      Option(
        name: "--perceptual", value: "DELTA",
        help: "count by how colours look instead: by CIE 1994's ΔE; 2 is just noticeable"),
      Option(
        name: "--allow", value: "PERCENT", help: "how many pixels may differ by more, in % (0)"),
      Option(
        name: "--diff", value: "OUT",
        completion: .files(["png"]),
        help: "x.png, or a folder for folders: where to draw the differing pixels, in red"),
      Option(
        name: "--html", value: "OUT.html",
        completion: .files(["html"]),
        help: "a page to look at what differs and to accept it, in one file"),
      Option(
        name: "--ignore-missing", help: "leave out what only A has, when comparing folders"),
      help,
    ],
    notes: [
      "A is the reference, B the result: PNG, JPEG or WebP files, or folders of them, whose files",
      "belong together by their paths in the folders. What only one of the folders has is a",
      "difference. A file that cannot be read is named at the end; the exit status is 2 then.",
    ],
    examples: [
      Example(
        command: "lamina compare reference.png result.png --tolerance 2 --diff difference.png",
        says: "Two pictures; channels may differ by 2 of 255."),
      Example(
        command: "lamina compare expected results --perceptual 2 --allow 0.1 --html report.html",
        says: "Two folders, by how colours look, with a page to look at."),
    ])

  static let convert = Command(
    name: "convert", summary: "Write any document as a .ca bundle or a .caml file.",
    arguments: ["IN", "OUT"], completion: documents,
    options: [help],
    notes: [
      "IN is a .ca bundle, a .caml file, a .caar archive, a folder of bundles or a film. OUT is",
      "x.ca, a bundle with the images' own files, or x.caml, a file with the images in it. A bundle",
      "or file that is there is replaced when the new one is whole. What documents cannot contain",
      "is listed.",
    ],
    examples: [
      Example(
        command: "lamina convert scene.ca scene.caml",
        says: "A bundle as one file."),
      Example(
        command: "lamina convert scene.caml copy.ca",
        says: "And as a bundle again."),
    ])

  static let bench = Command(
    name: "bench", summary: "Time scenes and costs, from property changes to drawn frames.",
    arguments: [],
    options: [
      Option(
        name: "--scene", value: "NAME…", repeats: true, takesMany: true,
        completion: .words(BenchCase.all.map(\.name)),
        help: "which of those that --list names (all)"),
      Option(name: "--size", value: "WxH", help: "the frame's size in pixels (1920x1080)"),
      Option(name: "--frames", value: "N", help: "how many to time (as many as fit in 0.6 s)"),
      Option(
        name: "--rounds", value: "N",
        help: "how often to go through all cases, which share the frames (5)"),
      Option(
        name: "--json", value: "FILE", completion: .files(["json"]),
        help: "one JSON object a line, to a file beside the table or, with -, instead of it"),
      Option(
        name: "--save", value: "DIR", completion: .files([]),
        help: "keep each scene's last frame as DIR/NAME.png"),
      Option(
        name: "--compare", value: "FILE", takesMany: true, completion: .files(["json"]),
        help: "an earlier run's --json; exit with 1 if a case is slower now. Two files: no run"),
      Option(
        name: "--allow", value: "PERCENT", help: "how far times may differ and be level (5)"),
      Option(
        name: "--plot", value: "OUT.png", completion: .files(["png"]),
        help: "a chart of the run, and of the one compared with"),
      Option(
        name: "--trace", value: "OUT.json",
        completion: .files(["json"]),
        help: "what both processes did when, for ui.perfetto.dev or chrome://tracing"),
      Option(name: "--list", help: "say what there is to time"),
    ] + [repeatedPlatform] + process + [help],
    notes: [
      "A frame is: property changes, the commit, the request and the answer that it is drawn,",
      "without its pixels, one after the other. cpu is the processor time of both processes.",
      "--compare counts each round once, by its median, since frames that follow each other are slow",
      "together. A Mann-Whitney rank test of the rounds gives the 99 % interval of the ratio; a case",
      "is slower, or faster, if the whole interval lies beyond what --allow says, else level. Five",
      "rounds of each run are the fewest; more find smaller differences. ± is half the distance of",
      "all samples' quartiles.",
    ],
    examples: [
      Example(
        command: "lamina bench --scene S1a S6 --frames 20 --platform software",
        says: "Two scenes, drawn by the CPU."),
      Example(
        command: "lamina bench --scene S6 --frames 20 --platform software --json before.json",
        says: "A run to keep."),
      Example(
        command:
          "lamina bench --scene S6 --frames 20 --platform software --compare before.json --allow 900",
        says: "The same against the run that was kept; 5 % is the usual limit."),
    ])

  static let info = Command(
    name: "info", summary: "Say what renders here: platform, renderer, limits, sandbox.",
    arguments: [],
    options: [Option(name: "--json", help: "as one JSON object")] + renderer + [help],
    examples: [
      Example(
        command: "lamina info --platform software",
        says: "What draws here, and its limits."),
      Example(
        command: "lamina info --json --platform software",
        says: "The same for programs."),
    ])

  static let dump = Command(
    name: "dump", summary: "Print a stage of a document's way to pixels as text.",
    arguments: ["DOC"], completion: documents,
    options: [
      Option(name: "--at", value: "T", help: "at T seconds (0)"),
      Option(name: "--tree", help: "the layers, as evaluated (this is the default)"),
      Option(name: "--commit", help: "what is sent to the render process"),
      Option(name: "--items", help: "what the layers draw, in its groups"),
      Option(name: "--plan", help: "the passes and batches of the frame"),
      Option(name: "--json", help: "the layers as one JSON object, and why some do not show"),
    ] + frame + renderer + [help],
    examples: [
      Example(
        command: "lamina dump scene.ca --at 1.5",
        says: "The layers as they are after a second and a half."),
      Example(
        command: "lamina dump scene.ca --at 1.5 --plan --platform software",
        says: "What the renderer is told to draw."),
      Example(
        command: "lamina dump scene.ca --at 1.5 --json > layers.json",
        says: "The layers for a program: values, places, costs, and why some do not show."),
    ])

  static let inspect = Command(
    name: "inspect",
    summary: "Make a page that shows a document's layers, and why one does not show.",
    arguments: ["DOC"], completion: documents,
    options: [
      Option(name: "--at", value: "T", help: "one frame, at T seconds"),
      Option(name: "--from", value: "T", help: "the first frame, in seconds (0)"),
      Option(name: "--to", value: "T", help: "where the frames end (the document's end)"),
      Option(name: "--fps", value: "N", help: "frames per second"),
      Option(name: "--count", value: "N", help: "how many frames, spread over the time (40)"),
    ] + frame + [
      Option(
        name: "--output", short: "-o", value: "OUT.html", completion: .files(["html"]),
        help: "the page, in one file")
    ] + renderer + [help],
    notes: [
      "The page needs no network. It has the frames with their layers: what each was set to and what",
      "it shows, its animations, what it costs, and why it does not show.",
    ],
    examples: [
      Example(
        command: "lamina inspect scene.ca -o scene.html",
        says: "A page with the whole film, to open in a browser."),
      Example(
        command: "lamina inspect scene.ca --at 1.5 --scale 2 -o moment.html",
        says: "One moment, two pixels to the point."),
    ])

  static let preview = Command(
    name: "preview", summary: "Show a document in a browser, again whenever its files change.",
    arguments: ["DOC"], completion: documents,
    options: frame + renderer + [help],
    notes: [
      "It prints the address of the page that lamina inspect makes, on this machine alone and with a",
      "token that nobody can guess. It ends with ^C, or some seconds after the page is closed.",
    ],
    examples: [
      Example(
        command: "timeout -s INT 2 lamina preview scene.ca || [ $? = 124 ]",
        says: "A preview of two seconds; without timeout it goes on until the page is closed.")
    ])
}
