#!/usr/bin/env node
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { Kantoor } from "@kantoor/sdk";
import type { Commands } from "./commands.ts";
import { run } from "./run.ts";

const OPENERS: Readonly<Record<string, string>> = { darwin: "open", win32: "explorer" };

/** Opens a page in the browser if there is one; its address was printed before. */
function browse(url: string): void {
  if (process.env["KANTOOR_BROWSER"] === "none") return;
  const opener = process.env["KANTOOR_BROWSER"] || (OPENERS[process.platform] ?? "xdg-open");
  const child = spawn(opener, [url], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}

// A reader that has enough, such as head, is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

process.exitCode = await run(
  {
    commands: JSON.parse(readFileSync(new URL("commands.json", import.meta.url), "utf8")) as Commands,
    client: (options) => new Kantoor(options),
    environment: process.env,
    stdin: () => text(process.stdin),
    browse,
    out: process.stdout,
    err: process.stderr,
  },
  process.argv.slice(2),
);
