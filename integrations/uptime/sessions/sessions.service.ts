import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "moleculer";
import { internal } from "../../../core/declare/makers/internal.ts";
import type { Meta } from "../../../core/declare/principal.ts";
import { service } from "../../../mixins/resource.ts";
import { KumaFailure } from "../kuma/failure.ts";
import { LEASE, Lease } from "./lease.ts";
import { closeSessions, sessionsOf } from "./of-broker.ts";
import type { Change, Performed, Reading } from "./performing.ts";
import type { KumaSession } from "./session.ts";
import { HeldElsewhere } from "./sessions.ts";

interface SessionRequest {
  instance_id: string;
  /** True on the node that has the session; it does not forward again. */
  forwarded?: boolean;
}

const OPEN = "internal; the calling actor has checked access";
/** Milliseconds to wait for the lease of a node that died, and between checks. */
const PATIENCE = (LEASE + 5) * 1000;
const LOOK = 500;

/** Errors of a call that was not sent, because the broker no longer knows the node. */
const UNSENT = ["ServiceNotFoundError", "ServiceNotAvailableError"];

const busy = (text: string): Performed<never> => ({ failure: new KumaFailure("unreachable", text).plain });

/**
 * Runs work in the session of an instance, on the node that has it.
 * @param name the action that runs this work on the other node
 * @param mayRepeat whether the work can safely run twice
 */
async function perform<T>(
  ctx: Context<unknown, Meta>,
  name: string,
  work: (session: KumaSession) => Promise<T>,
  mayRepeat: boolean,
): Promise<Performed<T>> {
  const asked = ctx.params as SessionRequest;
  for (const deadline = performance.now() + PATIENCE; ; await sleep(LOOK)) {
    try {
      const session = await sessionsOf(ctx.broker).of(ctx.meta.organisation, asked.instance_id);
      return { value: await work(session) };
    } catch (error) {
      if (error instanceof KumaFailure) return { failure: error.plain };
      if (!(error instanceof HeldElsewhere)) throw error;
      const isLate = performance.now() > deadline;
      if (asked.forwarded) return busy("the session is moving to another node");
      if (error.node === "" && !isLate) continue;
      try {
        return await ctx.call<Performed<T>, object>(name, { ...asked, forwarded: true }, { nodeID: error.node });
      } catch (gone) {
        // The node is down or accepts no calls. Its lease expires, and this node can open the session. Work that the other node may have
        // done is not repeated.
        const { name: why } = gone as Error;
        if (isLate || !(mayRepeat || UNSENT.includes(why))) return busy(`the node with the session does not answer: ${why}`);
      }
    }
  }
}

/** The sessions to uptime servers: one per instance over all nodes (workspace-reporting §5). */
export default service("uptime.sessions", {
  actions: {
    read: internal({
      summary: "Read from an uptime server, on the node that is signed in there",
      open: OPEN,
      timeout: 60_000,
      handler(ctx) {
        const { reading } = ctx.params as unknown as { reading: Reading };
        return perform<unknown>(
          ctx,
          "uptime.sessions.read",
          (session) => (reading === "list" ? session.list() : session.beats()),
          true,
        );
      },
    }),

    write: internal({
      summary: "Change something at an uptime server, on the node that is signed in there",
      open: OPEN,
      acts: "outside",
      timeout: 60_000,
      handler(ctx) {
        const { change } = ctx.params as unknown as { change: Change };
        const work = async (session: KumaSession): Promise<number | null> => {
          if ("push" in change) return session.push(change.push);
          if ("switch" in change) await session.switch(change.switch.remoteId, change.switch.isActive);
          else await session.remove(change.remove.remoteId);
          return null;
        };
        return perform(ctx, "uptime.sessions.write", work, false);
      },
    }),

    end: internal({
      summary: "End the session with an uptime server, on any node",
      open: OPEN,
      async handler(ctx) {
        const { instance_id: id, forwarded } = ctx.params as unknown as SessionRequest;
        await sessionsOf(ctx.broker).end(id);
        if (forwarded) return;
        const node = await new Lease(ctx.meta.organisation, id, "").holdingNode();
        const others = { nodeID: node ?? "" };
        // A node that does not answer loses the session with its lease.
        if (node && node !== ctx.broker.nodeID)
          await ctx.call<void, object>("uptime.sessions.end", { instance_id: id, forwarded: true }, others).catch(() => {});
      },
    }),
  },

  async stopped() {
    await closeSessions(this.broker);
  },
});
