import { type Received, type Reply, Simulator } from "./simulator.ts";

/** An external system that accepts every message and returns the configured reply. */
export class Listener extends Simulator {
  reply: Reply = { status: 200, body: { ok: true } };

  protected answer(_request: Received): Reply {
    return { headers: { "Content-Type": "application/json" }, ...this.reply };
  }
}
