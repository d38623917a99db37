import type { ReadStream, WriteStream } from "node:tty";
import type { InstallationFigures } from "../../mixins/ops/installation-figures.ts";
import type { AttachedConsole } from "../console/client.ts";
import { screen } from "./screen.ts";

const EVERY = 2_000;
const ALTERNATE_SCREEN = ["\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"] as const;
const HOME = "\x1b[H";
const REST_OF_LINE = "\x1b[K";
const REST_OF_SCREEN = "\x1b[J";
const ENDING = new Set(["q", "Q", "\x03", "\x04"]);

/**
 * Draws the figures on a terminal and again every two seconds, until `q` or Ctrl-C. The terminal is as before afterwards.
 * @throws OperatorError when the service ends
 */
export async function watch(
  attached: Pick<AttachedConsole, "figures" | "ended">,
  stdin: ReadStream,
  stdout: WriteStream,
): Promise<void> {
  let figures: InstallationFigures | null = null;
  const draw = () => {
    if (!figures) return;
    const lines = screen(figures, { columns: stdout.columns, rows: stdout.rows, colours: !process.env["NO_COLOR"] });
    stdout.write(`${HOME}${lines.map((line) => `${line}${REST_OF_LINE}`).join("\n")}${REST_OF_SCREEN}`);
  };
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const onKey = (key: Buffer) => ENDING.has(key.toString()) && end();
  stdout.write(ALTERNATE_SCREEN[0]);
  stdin.setRawMode(true).resume().on("data", onKey);
  stdout.on("resize", draw);
  process.once("SIGTERM", end);
  let isOver = false;
  const refresh = async () => {
    while (!isOver) {
      figures = await attached.figures();
      draw();
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, EVERY).unref())]);
    }
  };
  try {
    await Promise.race([ended, attached.ended, refresh()]);
  } finally {
    isOver = true;
    process.off("SIGTERM", end);
    stdout.off("resize", draw);
    stdin.off("data", onKey).setRawMode(false).pause();
    stdout.write(ALTERNATE_SCREEN[1]);
  }
}
