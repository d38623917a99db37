import type { TProperties, TSchema } from "../../schema/schema.ts";
import { type Action, declared, type EitherAccess } from "../action.ts";
import type { Contributions, Described, Effects, JsonAnswer, ParamsOf, Sent, Work } from "../options.ts";

/** The parameters of an action when its contributions are assembled. */
type Contributed<C> = C extends { panel: object } | { tile: object }
  ? { company_id: string }
  : C extends { figures: string }
    ? { ids: string[] }
    : C extends { recurring: object }
      ? { company_id: string | null }
      : C extends { openWork: true }
        ? { user_id: string }
        : unknown;

/** The options of `internal()`. */
interface InternalOptions<P extends TProperties, Q extends TProperties, B extends TSchema | undefined, C>
  extends Described,
    Pick<Sent<string, P, Q, B>, "path" | "query" | "body" | "errors" | "timeout">,
    Pick<JsonAnswer, "returns">,
    Pick<Effects, "writes">,
    Work<ParamsOf<"", P, Q, B> & Contributed<C>> {
  /** Which actors may call it: by default those of every node, with `protected` only those of its own node. */
  visibility?: "protected";
  contributes?: C;
}

/** Declares an action without a route: only other actors call it, or the endpoint that it contributes to. */
export const internal = <
  P extends TProperties = Record<never, never>,
  Q extends TProperties = Record<never, never>,
  B extends TSchema | undefined = undefined,
  const C extends Contributions = Record<never, never>,
>(
  declaration: EitherAccess<InternalOptions<P, Q, B, C>>,
): Action => declared(declaration);
