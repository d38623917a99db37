import type { TSchema } from "../../schema/schema.ts";
import { type Action, declared, type Only } from "../action.ts";
import type { BodyType, Effects, JsonAnswer, Limited, ParamsOf, Sent, WithoutPermission, Work } from "../options.ts";

/** The options of `oauthEndpoint()`. */
interface OAuthEndpointOptions<R extends string, B extends TSchema>
  extends Omit<Sent<R, Record<never, never>, Record<never, never>, B>, "path" | "query" | "timeout">,
    Pick<WithoutPermission, "open">,
    BodyType,
    Limited<"client-registration">,
    Pick<JsonAnswer, "returns" | "status">,
    Pick<Effects, "oneTime">,
    Work<ParamsOf<R, Record<never, never>, Record<never, never>, B>> {
  /** The `error` of its refusals, unless they carry their own. */
  oauth: "invalid_request" | "invalid_client_metadata";
}

/**
 * Declares an OAuth endpoint for programs, which needs no principal: its errors have the shape of RFC 6749 §5.2. Its responses are not
 * cached, and because it uses no cookie, any origin may call it.
 */
export const oauthEndpoint = <const R extends string, B extends TSchema>(declaration: Only<OAuthEndpointOptions<R, B>>): Action =>
  declared({ ...declaration, needs: "nothing" });
