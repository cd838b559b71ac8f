/// The commands `lamina farm …`, with their flags.
extension Commands {
  private static let job = Option(
    name: "--job", value: "DIR", completion: .files([]),
    help: "the job's folder, which all machines see (OUT.farm)")

  private static let engine = [
    Option(
      name: "--engine", value: "NAME", completion: .words(["slurm", "local"]),
      help: "slurm, or local: this machine (slurm if sbatch is in PATH)"),
    Option(name: "--at-once", value: "N", help: "local: tasks at once (one on each processor)"),
    Option(name: "--processors", value: "N", help: "slurm: processors of a task (1)"),
    Option(
      name: "--sbatch", value: "FLAG", repeats: true,
      help: "slurm: more for sbatch, such as --sbatch=--partition=long; repeats"),
    Option(
      name: "--detach", help: "slurm: submit, and leave it to lamina farm resume to follow the job"),
    job,
  ]

  private static let passed = [
    "--from", "--to", "--fps", "--count", "--size", "--scale", "--state", "--background", "--debug",
    "--platform", "--memory", "--pieces",
  ]

  /// The flags of `lamina render` that all shards get.
  static let renderFlags = render.options.filter { passed.contains($0.name) }

  /// The flags of `lamina compare` that all parts get.
  static let limitOptions = compare.options.filter {
    ["--tolerance", "--perceptual", "--allow", "--ignore-missing"].contains($0.name)
  }

  /// The flags of `lamina bench` that all nodes get.
  static let timingOptions = bench.options.filter { ["--size", "--frames"].contains($0.name) }

  static let farmRender = Command(
    name: "farm render", summary: "Render films in shards, on many machines or on this one.",
    arguments: ["DOC…"],
    options: renderFlags + [
      Option(
        name: "--shards", value: "N", help: "parts of each film (one of every 250 frames)"),
      Option(
        name: "--pack", help: "copy the documents into the job's folder, for machines without them"),
      Option(
        name: "--output", short: "-o", value: "OUT", completion: filmFiles,
        help: "x.mp4, x.webm, x.gif or x.apng; of many documents out/%s.mp4"),
    ] + engine + [help],
    notes: [
      "The film has the same bytes however it is cut, and wherever its parts are drawn, by the CPU",
      "unless --platform or $LAMINA_PLATFORM says otherwise. %s stands for a document's name.",
      "With --pieces N a shard is N frames, and encodes them: the join, which encodes the whole film",
      "otherwise, only copies. From a few nodes on this is faster; the film is a little larger.",
      "Shards are judged by their files alone. What is lost, such as with a node, runs again. The",
      "job ends with the films, or with the first shard that fails: its message, its status, and",
      "nothing left in the queue. ^C leaves the job to Slurm; of a local one it keeps what is done.",
      "lamina farm status, resume and cancel take the job's folder, or OUT. The same command again",
      "resumes it too.",
    ],
    examples: [
      Example(
        command: "lamina farm render scene.ca --to 2 --shards 4 --engine local -o film.mp4",
        says: "A film in four parts, on this machine."),
      Example(
        command:
          "lamina farm render scene.ca other.ca --to 1 --pieces 15 --engine local -o films/%s.mp4",
        says: "Films of two documents; each piece of 15 frames is encoded by itself."),
    ])

  static let farmCompare = Command(
    name: "farm compare", summary: "Compare two folders of pictures, on many machines.",
    arguments: ["A", "B"],
    options: compare.options.filter { $0.name != "--help" } + [
      Option(name: "--shards", value: "N", help: "parts of the folders (one of every 100 pictures)")
    ] + engine.filter { $0.name != "--detach" } + [help],
    notes: [
      "As lamina compare, which explains the flags. The job's folder is B.farm if --job names none,",
      "and is removed at the end.",
    ],
    examples: [
      Example(
        command: "lamina farm compare expected results --shards 2 --engine local",
        says: "Two folders in two parts, on this machine.")
    ])

  static let farmBench = Command(
    name: "farm bench", summary: "Time scenes on every node, in one table.",
    arguments: [],
    options: [
      Option(
        name: "--scene", value: "NAME…", repeats: true, takesMany: true,
        completion: .words(BenchCase.all.map(\.name)),
        help: "which of those that lamina bench --list names (S1a, S3, S4)"),
      Option(
        name: "--node", value: "NAME", repeats: true, help: "a node (all that are up); repeats"),
    ] + timingOptions + engine.filter { $0.name != "--detach" } + [help],
    notes: [
      "A number is the median of a frame, in milliseconds, drawn by the CPU. Each node has one task",
      "and nothing else meanwhile. The job's folder is lamina-bench.farm if --job names none, and is",
      "removed at the end.",
    ],
    examples: [
      Example(
        command: "lamina farm bench --scene S6 --frames 20 --engine local",
        says: "One scene, on this machine.")
    ])

  static let farmStatus = Command(
    name: "farm status", summary: "Say how far a job is.", arguments: ["JOB"],
    options: [help], notes: ["JOB is the job's folder, or its output."],
    examples: [
      Example(
        command: "lamina farm status film.mp4",
        says: "How far the film is.")
    ])

  static let farmResume = Command(
    name: "farm resume", summary: "Take up a job again: what is not done runs, and is followed.",
    arguments: ["JOB"], options: [help],
    notes: [
      "JOB is the job's folder, or its output. What failed runs again. What runs already goes on."
    ],
    examples: [
      Example(
        command: "lamina farm resume film.mp4",
        says: "What was interrupted goes on.")
    ])

  static let farmCancel = Command(
    name: "farm cancel", summary: "End a job: nothing of it is left, in the queue or on disk.",
    arguments: ["JOB"], options: [help], notes: ["JOB is the job's folder, or its output."],
    examples: [
      Example(
        command: "lamina farm cancel film.mp4",
        says: "Nothing of the job is left.")
    ])

  static let farmTask = Command(
    name: "farm task", summary: "Run one task of a job here, as the queue does.",
    arguments: ["JOB", "N"], options: [help],
    notes: [
      "For other queues than those that lamina farm knows: tasks may run in any order, anywhere and",
      "more than once. Those that join come last; lamina farm status says how many there are.",
    ],
    examples: [
      Example(
        command: "lamina farm task film.mp4.farm 0",
        says: "The first task of a job.")
    ])

  static let farm = [
    farmRender, farmCompare, farmBench, farmStatus, farmResume, farmCancel, farmTask,
  ]
}
