import type { TProperties, TSchema } from "../../schema/schema.ts";
import { type Action, declared, type Only } from "../action.ts";
import type { Effects, JsonAnswer, ParamsOf, Sent, WithoutPermission, Work } from "../options.ts";

/** The options of `openAction()`. */
interface OpenActionOptions<R extends string, P extends TProperties, Q extends TProperties, B extends TSchema | undefined>
  extends Sent<R, P, Q, B>,
    WithoutPermission,
    JsonAnswer,
    Effects,
    Work<ParamsOf<R, P, Q, B>> {
  /** Name, without the prefix of core/http/host-cookie.ts, of an additional cookie that it receives as `request().cookie`. */
  cookie?: string;
}

/** Declares an action of the API that needs no permission: `open` says why, `needs` who has access. */
export const openAction = <
  const R extends string,
  P extends TProperties = Record<never, never>,
  Q extends TProperties = Record<never, never>,
  B extends TSchema | undefined = undefined,
>(
  declaration: Only<OpenActionOptions<R, P, Q, B>>,
): Action => declared(declaration);
