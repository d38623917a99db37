import type { TProperties, TSchema } from "../../schema/schema.ts";
import { type Action, type ActionContext, declared, type Only } from "../action.ts";
import type { Described, JsonAnswer, Sent, WithoutPermission } from "../options.ts";

/** The parameters of an untenanted call: the whole request except credentials of this service. */
export interface UntenantedCall {
  parameters: Record<string, string>;
  /** By lower-case name. */
  headers: Record<string, string>;
  /** The bytes of the body in base64; null if it exceeds `mostBody` (64 KiB by default) and was not read. */
  body: string | null;
}

/** The options of `untenanted()`. */
interface UntenantedOptions<P extends TProperties>
  extends Described,
    Pick<Sent<string, P>, "rest" | "verb" | "path">,
    Pick<WithoutPermission, "open">,
    Pick<JsonAnswer, "status" | "otherStatuses"> {
  /** Largest body in bytes, if larger than 64 KiB. */
  mostBody?: number;
  /** The body of every answer, or null: then no response has a body, not even an error of the gateway. */
  returns: TSchema | null;
  handler(this: never, ctx: ActionContext<UntenantedCall>): Promise<{ status: number; body?: unknown }>;
}

/**
 * Declares a call that runs on any host without organisation or principal: readiness, and callbacks that name their organisation
 * themselves. `open` says what takes the place of a credential.
 */
export const untenanted = <P extends TProperties = Record<never, never>>(declaration: Only<UntenantedOptions<P>>): Action =>
  declared({ ...declaration, needs: "nothing", untenanted: true });
