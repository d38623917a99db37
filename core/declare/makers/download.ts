import type { TProperties, TSchema } from "../../schema/schema.ts";
import { type Action, declared, type EitherAccess } from "../action.ts";
import type { Effects, JsonAnswer, ParamsOf, Sent, Work } from "../options.ts";

/** The options of `download()`. */
interface DownloadOptions<R extends string, P extends TProperties, Q extends TProperties, B extends TSchema | undefined>
  extends Sent<R, P, Q, B>,
    Pick<JsonAnswer, "otherStatuses">,
    Pick<Effects, "writes" | "oneTime">,
    Work<ParamsOf<R, P, Q, B>> {
  /** Media type of the file, for instance `image/*`; several with `, ` between them. */
  returnsFile: string;
  /** A replica of the database may answer it, as a list (docs/replicas.md): for exports. */
  fromReplica?: true;
}

/** Declares a call that answers with a file: its handler returns a `FileAnswer` of core/files/file-answer.ts. */
export const download = <
  const R extends string,
  P extends TProperties = Record<never, never>,
  Q extends TProperties = Record<never, never>,
  B extends TSchema | undefined = undefined,
>(
  declaration: EitherAccess<DownloadOptions<R, P, Q, B>>,
): Action => declared(declaration);
