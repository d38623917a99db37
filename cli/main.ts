import { runCli } from "./run.ts";

// Set, not called: what was written to a pipe is still on its way when the command has ended.
process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  ...(process.stderr.isTTY && { terminal: process.stderr }),
});
