import Foundation
import PackagePlugin

/// Has SwiftPM build the render server, as `lamina-render-server-tool`, beside programs that have
/// the target. A tool is built only for a command that needs it: this one writes a source of the
/// target, which declares nothing.
@main
struct LaminaRenderServerPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let source = context.pluginWorkDirectoryURL.appending(path: "RenderServerWasBuilt.swift")
    return [
      .buildCommand(
        displayName: "Building the render server",
        executable: try context.tool(named: "lamina-render-server").url,
        arguments: ["--write-source", source.path(percentEncoded: false)], outputFiles: [source])
    ]
  }
}
