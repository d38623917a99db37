import { randomInt } from "node:crypto";
import net from "node:net";

/** Below those that a system hands out by itself, so that no other program is given one in a moment in which it is free. */
const [FIRST, LAST] = [20_000, 32_000];

/** A port that nothing listens on, for a process that has to be told its own, or comes back to it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    const server = net.createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
