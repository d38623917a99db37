import { createInterface } from "node:readline";
import { readConfig } from "../core/config/config.ts";
import { OperatorError } from "../operator/organisations.ts";
import { AttachedConsole } from "./console/client.ts";

// Attaches to the console of the service that runs on the data directory. Words after the command run as one line, piped lines run one
// after the other, and a terminal gets a prompt until Ctrl-D.

async function runLine(attached: AttachedConsole, line: string): Promise<void> {
  const text = await attached.run(line);
  if (text !== "") process.stdout.write(`${text}\n`);
}

async function converse(attached: AttachedConsole): Promise<void> {
  const atTerminal = process.stdin.isTTY === true;
  const lines = createInterface({
    input: process.stdin,
    ...(atTerminal && { output: process.stdout, historySize: 500 }),
    completer: (line: string, done: (error: null, found: [string[], string]) => void) =>
      void attached.complete(line).then((found) => done(null, [found, line])),
  });
  const ask = () => {
    if (!atTerminal) return;
    lines.setPrompt(attached.prompt);
    lines.prompt();
  };
  lines.on("SIGINT", () => lines.close());
  ask();
  for await (const line of lines) {
    if (line.trim() === "exit" || line.trim() === "quit") break;
    await runLine(attached, line);
    ask();
  }
  lines.close();
  if (atTerminal) process.stdout.write("\n");
}

function end(sentence: string, status: number): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(status);
}

const { dataDir } = readConfig({ SERVICE_DATA_DIR: process.env["SERVICE_DATA_DIR"] });
const attached = await AttachedConsole.attach(dataDir).catch((error: Error) =>
  error instanceof OperatorError ? end(error.message, 2) : Promise.reject(error),
);
attached.ended.catch(({ message }: Error) => end(message, 1));
const words = process.argv.slice(2);
if (words.length > 0) await runLine(attached, words.join(" "));
else await converse(attached);
attached.close();
