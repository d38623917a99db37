import { type Received, type Reply, Simulator } from "./simulator.ts";

/** Another system that is told things: it takes whatever is sent and answers what it was told to. */
export class Listener extends Simulator {
  reply: Reply = { status: 200, body: { ok: true } };

  protected answer(_request: Received): Reply {
    return { headers: { "Content-Type": "application/json" }, ...this.reply };
  }
}
