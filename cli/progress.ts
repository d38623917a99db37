import type { WriteStream } from "node:tty";

/** Shows progress; does nothing without a terminal. */
export interface Progress {
  show(done: number, total: number): void;
  end(): void;
}

/** A progress bar on the terminal, if there is one, cleared at the end. */
export async function progressOn(terminal: WriteStream | undefined, what: string): Promise<Progress> {
  if (!terminal) return { show() {}, end() {} };
  const { default: progress } = await import("cli-progress");
  const bar = new progress.SingleBar({
    stream: terminal,
    format: `${what} {bar} {value}/{total}, {eta_formatted} left`,
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
  });
  return {
    show(done, total) {
      if (!bar.isActive) bar.start(total, done);
      else bar.update(done);
    },
    end: () => bar.stop(),
  };
}
