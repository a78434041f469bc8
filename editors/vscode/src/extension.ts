// Starts `tidegate lsp`, and ends it. What is shown comes from the server.

import * as path from "path";
import { commands, ExtensionContext, window, workspace } from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node";

const CHECK = "tidegate.check";

let client: LanguageClient | undefined;

/** The command that starts Tidegate: a path is below the first folder. */
function commandOfServer(): string {
  const command = workspace.getConfiguration("tidegate").get<string>("command", "tidegate");
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
  return command.includes("/") && folder !== undefined ? path.resolve(folder, command) : command;
}

async function start(): Promise<void> {
  const command = commandOfServer();
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
  client = new LanguageClient(
    "tidegate",
    "Tidegate",
    { command, args: ["lsp"], transport: TransportKind.stdio, options: { cwd: folder } },
    {
      documentSelector: [
        { scheme: "file", language: "python" },
        { scheme: "file", pattern: "**/*.trace.json" },
      ],
      middleware: {
        // A check is of what is saved.
        executeCommand: async (name, given, next) => {
          if (name === CHECK) {
            await workspace.saveAll(false);
          }
          return next(name, given);
        },
      },
    },
  );
  try {
    await client.start();
  } catch (error) {
    void window.showErrorMessage(
      `Tidegate: "${command} lsp" does not start: ${String(error)}. Install tidegate[editor], ` +
        "or name its command in the setting tidegate.command.",
    );
  }
}

async function stop(): Promise<void> {
  if (client?.isRunning()) {
    await client.stop();
  }
}

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("tidegate.restart", async () => {
      await stop();
      await start();
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}
