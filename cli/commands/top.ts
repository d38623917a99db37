import { readConfig } from "../../core/config/config.ts";
import type { Command } from "../command.ts";
import { AttachedConsole } from "../console/client.ts";
import { screen } from "../top/screen.ts";
import { watch } from "../top/watch.ts";

/** Width of what is printed elsewhere than at a terminal, in characters. */
const PRINTED = 120;

export const topCommands: readonly Command[] = [
  {
    name: "top",
    about: "Show what the running service does, refreshed every two seconds: nodes, requests, jobs, mails, providers",
    options: { once: { about: "Print once and end, as it does anywhere but at a terminal" } },
    details: ["`q` or Ctrl-C ends it. It attaches to the service of SERVICE_DATA_DIR, as `npm run repl` does."],
    async unopened({ env, flag }) {
      const { dataDir } = readConfig({ SERVICE_DATA_DIR: env["SERVICE_DATA_DIR"] });
      const attached = await AttachedConsole.attach(dataDir);
      try {
        const { stdin, stdout } = process;
        if (!flag("once") && !flag("json") && stdout.isTTY && stdin.isTTY) {
          await watch(attached, stdin, stdout);
          return { json: null, text: [] };
        }
        const figures = await attached.figures();
        const text = screen(figures, { columns: stdout.columns ?? PRINTED, rows: Number.POSITIVE_INFINITY, colours: false });
        return { json: figures, text };
      } finally {
        attached.close();
      }
    },
  },
];
