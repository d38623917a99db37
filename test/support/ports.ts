import { randomInt } from "node:crypto";
import { writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

/** Below the ephemeral ports that the system assigns, so that no other program gets one while it is free. */
const [FIRST, LAST] = [20_000, 32_000];

/** Whether this call is the first of the run to ask for the port: the processes of a run share the folder of temporary files. */
function reserve(port: number): boolean {
  if (process.env["TEST_TIER"] === undefined) return true;
  try {
    writeFileSync(path.join(tmpdir(), `kantoor-port-${port}`), "", { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

/** A free port that no other test of the run gets, for a process that needs a fixed one or restarts on it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    const server = net.createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    if (reserve(port)) return port;
  }
}
