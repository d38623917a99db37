import { randomUUID } from "node:crypto";
import { enqueue } from "../../../core/database/query.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { lock, queueUpdate } from "../../../core/database/write.ts";
import type { Organisation } from "../../../core/declare/principal.ts";
import { schedule } from "../../../core/jobs/jobs.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inOrganisation } from "../in-organisation.ts";
import { failureKey, KumaFailure } from "../kuma/failure.ts";
import { UptimeInstance, type UptimeInstanceRow } from "../models.ts";
import { LEASE, Lease, RENEWED } from "./lease.ts";
import { reportUnreachable } from "./reporting.ts";
import { KumaSession } from "./session.ts";
import { addressOf, findInstance, headersOf } from "./stored-instance.ts";

/** Milliseconds before an unused session ends; the heartbeat job uses it every five minutes. */
const IDLE = 12 * 60_000;
/** Milliseconds before the end of a lease when its session ends, if no renewal succeeded. */
const MARGIN = 3_000;

// Write only changed values, so that regular reconnections do not bump the version.
const WELL = statement(`update uptime_instances set status = 'active', last_error = null, server_version = $3,
    version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and (status, last_error, server_version) is distinct from ('active', null::text, $3::text)`);
const ILL =
  statement(`update uptime_instances set status = $3, last_error = $4, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and (status, last_error) is distinct from ($3::text, $4::text)`);

/** Another node has the session and must be asked. */
export class HeldElsewhere extends Error {
  override name = "HeldElsewhere";
  readonly node: string;
  constructor(node: string) {
    super(`the session is on node '${node}'`);
    this.node = node;
  }
}

interface OpenSession {
  session: KumaSession;
  lease: Lease;
  renewing: NodeJS.Timeout;
  usedAt: number;
}

/** The credentials and headers of a manual login. */
export interface Enrolment {
  username: string;
  password: string;
  totp: string | undefined;
  headers: Record<string, string>;
}

/** The sessions of one node: one per instance, while the node has its lease. */
export class Sessions {
  readonly #node: string;
  readonly #held = new Map<string, OpenSession>();
  readonly #opening = new Map<string, Promise<OpenSession>>();

  constructor(node: string) {
    this.#node = node;
  }

  /** The session of an instance, opened if there is none. @throws HeldElsewhere, KumaFailure */
  async of(organisation: Organisation, instanceId: string): Promise<KumaSession> {
    const held = this.#held.get(instanceId);
    if (held?.session.isOpen) {
      held.usedAt = performance.now();
      return held.session;
    }
    const opening =
      this.#opening.get(instanceId) ?? this.#open(organisation, instanceId, (instance) => this.#byToken(instance), false);
    return (await opening).session;
  }

  /** Signs in manually and keeps the session. @returns the token that replaces the credentials @throws HeldElsewhere, KumaFailure */
  async enrol(organisation: Organisation, instanceId: string, enrolment: Enrolment): Promise<string> {
    await this.#opening.get(instanceId)?.catch(() => {});
    let token = "";
    const signIn = async (instance: UptimeInstanceRow) => {
      const session = await KumaSession.connect(addressOf(instance, enrolment.headers));
      try {
        token = await session.enrol(enrolment);
        return session;
      } catch (error) {
        session.close();
        throw error;
      }
    };
    await this.#open(organisation, instanceId, signIn, true);
    return token;
  }

  async #byToken(instance: UptimeInstanceRow): Promise<KumaSession> {
    const token = unsealed(UptimeInstance, instance, "token") as string;
    const session = await KumaSession.connect(addressOf(instance, headersOf(instance)));
    try {
      await session.signIn(token);
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  }

  #open(
    organisation: Organisation,
    instanceId: string,
    signIn: (instance: UptimeInstanceRow) => Promise<KumaSession>,
    isByHand: boolean,
  ): Promise<OpenSession> {
    const opening = this.#begin(organisation, instanceId, signIn, isByHand).finally(() => this.#opening.delete(instanceId));
    this.#opening.set(instanceId, opening);
    return opening;
  }

  async #begin(
    organisation: Organisation,
    instanceId: string,
    signIn: (instance: UptimeInstanceRow) => Promise<KumaSession>,
    isByHand: boolean,
  ): Promise<OpenSession> {
    await this.end(instanceId);
    const lease = new Lease(organisation, instanceId, randomUUID());
    if (!(await lease.take(this.#node))) throw new HeldElsewhere((await lease.holdingNode()) ?? "");
    // Renew from the start, so that a slow server does not cost the lease.
    const renewing = this.#renewing(instanceId, lease);
    try {
      const instance = await inOrganisation(organisation, "read", () => findInstance(instanceId));
      if (!instance?.active || instance.mode === "linked") throw new KumaFailure("failed", "the instance is not active");
      if (!isByHand && (instance.status === "needs_reauth" || unsealed(UptimeInstance, instance, "token") === null))
        throw new KumaFailure("reauth_required", "the server no longer accepts the stored token");
      const wait = await lease.spendLogin();
      if (wait !== null) throw new KumaFailure("rate_limited", `not called: one login a minute, wait ${wait} s`, wait);
      const session = await signIn(instance);
      await inOrganisation(organisation, "write", async () => {
        enqueue(WELL, [organisation.id, instanceId, session.version]);
        // Read the newest heartbeats after a reconnection, because an alarm may have been lost.
        schedule("uptime.heartbeats.read", { instance_id: instanceId }, { dedupe: instanceId });
      });
      const held = { session, lease, renewing, usedAt: performance.now() };
      this.#held.set(instanceId, held);
      return held;
    } catch (error) {
      clearInterval(renewing);
      if (error instanceof KumaFailure) {
        if (error.kind === "totp_required") await lease.unspendLogin().catch(() => {});
        // A failed manual login says nothing about the stored token.
        if (!isByHand) await noteFailure(organisation, instanceId, error).catch(() => {});
      }
      await lease.end().catch(() => {});
      throw error;
    }
  }

  /** Renews a lease regularly. Ends the session before the lease expires, or if another node has it. */
  #renewing(instanceId: string, lease: Lease): NodeJS.Timeout {
    let ends = performance.now() + LEASE * 1000 - MARGIN;
    const lose = () => {
      const held = this.#held.get(instanceId);
      if (held?.lease === lease) this.#drop(instanceId, held);
    };
    return setInterval(() => {
      const held = this.#held.get(instanceId);
      if (held?.lease === lease && (performance.now() - held.usedAt > IDLE || !held.session.isOpen)) {
        void this.end(instanceId);
        return;
      }
      const began = performance.now();
      lease.renew().then(
        (isOurs) => {
          if (isOurs) ends = began + LEASE * 1000 - MARGIN;
          else lose();
        },
        () => {},
      );
      if (performance.now() > ends) lose();
    }, RENEWED).unref();
  }

  #drop(instanceId: string, held: OpenSession): void {
    this.#held.delete(instanceId);
    clearInterval(held.renewing);
    held.session.close();
  }

  /** Ends the session of an instance on this node and releases its lease. */
  async end(instanceId: string): Promise<void> {
    const held = this.#held.get(instanceId);
    if (!held) return;
    this.#drop(instanceId, held);
    await held.lease.end().catch(() => {});
  }

  /** Ends all sessions of this node. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.#opening.values());
    await Promise.all([...this.#held.keys()].map((id) => this.end(id)));
  }
}

/**
 * Stores on the instance why there is no session, and notifies those who manage servers once. Our own login limit and a missing one-time
 * code say nothing about the server.
 */
async function noteFailure(organisation: Organisation, instanceId: string, failure: KumaFailure): Promise<void> {
  if (failure.kind === "rate_limited" || failure.kind === "totp_required") return;
  await inOrganisation(organisation, "write", async () => {
    const instance = await lock(UptimeInstance, instanceId);
    if (!instance) return;
    const isSignedOut = failure.kind === "reauth_required" || instance.status === "needs_reauth";
    const status = isSignedOut ? "needs_reauth" : "error";
    if (failure.kind !== "reauth_required") enqueue(ILL, [organisation.id, instanceId, status, failure.message]);
    else if (instance.status !== status)
      queueUpdate(UptimeInstance, instanceId, { status, last_error: failureKey(failure.kind) });
    if (instance.status !== status) await reportUnreachable(instance, status);
  });
}
