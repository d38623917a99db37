import type { TSchema } from "../../schema/schema.ts";
import { type Action, declared, type Only } from "../action.ts";
import type { BodyType, Effects, JsonAnswer, Limited, ParamsOf, Sent, WithoutPermission, Work } from "../options.ts";

/** The options of `passwordSignIn()`. */
interface PasswordSignInOptions<R extends string, B extends TSchema | undefined>
  extends Omit<Sent<R, Record<never, never>, Record<never, never>, B>, "path" | "query" | "timeout">,
    Pick<WithoutPermission, "open">,
    BodyType,
    Limited<"sign-in" | "account">,
    Pick<JsonAnswer, "returns" | "status" | "otherStatuses">,
    Pick<Effects, "oneTime">,
    Work<ParamsOf<R, Record<never, never>, Record<never, never>, B>> {
  /** `session` for the settings of one's own account. */
  needs: "nothing" | "session";
}

/**
 * Declares a part of password sign-in (accounts, passwords, second factors): refused if the organisation enforces single sign-on (access
 * §1.3).
 */
export const passwordSignIn = <const R extends string, B extends TSchema | undefined = undefined>(
  declaration: Only<PasswordSignInOptions<R, B>>,
): Action => declared({ ...declaration, localSignIn: true });
