import { randomInt } from "node:crypto";
import net from "node:net";

/** Below the ephemeral ports that the system assigns, so that no other program gets one while it is free. */
const [FIRST, LAST] = [20_000, 32_000];

/** A free port, for a process that needs a fixed one or restarts on it. */
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
