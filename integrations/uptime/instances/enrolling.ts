import type { Context } from "moleculer";
import type { Meta } from "../../../core/declare/principal.ts";
import { invalid, refusal } from "../../../core/errors/errors.ts";
import { actOutside } from "../../../core/outbound/acts.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { failureKey, KumaFailure } from "../kuma/failure.ts";
import { sessionsOf } from "../sessions/of-broker.ts";
import { HeldElsewhere } from "../sessions/sessions.ts";
import { headersOf, storedInstance } from "../sessions/stored-instance.ts";
import type { EnrolmentResult, UptimeEnrolment } from "./instance-schemas.ts";

/** The result of a manual login. The platform seals it until the handler runs. */
export interface Enrolled {
  result: EnrolmentResult;
  /** Null if the login failed. */
  token: string | null;
  /** The headers to store, as JSON: null for none, undefined to keep the stored ones. */
  headers: string | null | undefined;
  /** The address that the token belongs to. */
  base_url: string | null;
}

/** Valid header names (RFC 9110 §5.1). Callers cannot set the headers of the connection itself. */
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const OF_CONNECTION = /^(host|connection|upgrade|content-length|transfer-encoding|sec-websocket-.*)$/i;

/** @throws 422 on the headers as one field */
function requireHeaders(headers: Readonly<Record<string, string>>): void {
  if (Object.keys(headers).some((name) => !HEADER.test(name) || OF_CONNECTION.test(name)))
    throw invalid({ connect_headers: "errors.validation" });
}

/**
 * Signs in at a server with name and password, on this node, so that they never reach another node.
 * @throws 404, 409 for a linked or inactive server, 422
 */
export async function enrolAt(
  ctx: Context<unknown, Meta>,
  instanceId: string,
  { username, password, totp, connect_headers: sent }: Static<typeof UptimeEnrolment>,
): Promise<Enrolled> {
  const instance = await storedInstance(instanceId);
  if (instance.mode === "linked") throw refusal("validation_error", "errors.uptime_linked_instance");
  if (!instance.active) throw refusal("validation_error", "errors.uptime_instance_inactive");
  requireHeaders(sent ?? {});
  const keeps = sent === undefined || sent === null;
  const headers = keeps ? undefined : Object.keys(sent).length === 0 ? null : JSON.stringify(sent);
  const enrolment = { username, password, totp: totp || undefined, headers: keeps ? headersOf(instance) : sent };
  const { organisation } = request();
  await actOutside("uptime");
  const done = (token: string | null, result: EnrolmentResult): Enrolled => ({
    result,
    token,
    headers,
    base_url: instance.base_url,
  });
  const sessions = sessionsOf(ctx.broker);
  const signIn = () => sessions.enrol(organisation, instanceId, enrolment);
  try {
    const token = await signIn().catch(async (error: unknown) => {
      if (!(error instanceof HeldElsewhere)) throw error;
      await ctx.call("uptime.sessions.end", { instance_id: instanceId });
      return signIn();
    });
    const { version } = await sessions.of(organisation, instanceId);
    return done(token, { ok: true, server_version: version, error: null, retry_after_seconds: null });
  } catch (error) {
    const failure = error instanceof HeldElsewhere ? new KumaFailure("unreachable", error.message) : error;
    if (!(failure instanceof KumaFailure)) throw error;
    const { kind, retryAfter } = failure;
    return done(null, { ok: false, server_version: null, error: failureKey(kind), retry_after_seconds: retryAfter });
  }
}
