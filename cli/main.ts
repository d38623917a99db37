import { runCli } from "./run.ts";

// Do not call `process.exit`: output to a pipe may still be in flight when the command ends.
process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  ...(process.stderr.isTTY && { terminal: process.stderr }),
});
