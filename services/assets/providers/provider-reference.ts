import { isNamed, lookup, type Reader, reference } from "../../../core/bulk/readers.ts";
import type { Statement } from "../../../core/sql/statement.ts";
import type { ProviderKind } from "./provider-schemas.ts";

const providers = (kind: ProviderKind): Statement => lookup("providers", isNamed("t.name"), undefined, `t.kind = '${kind}'`);

/** A provider by id, or by name within its kind; inactive ones count (platform §7). */
export function providerReference(kind: ProviderKind): Reader {
  const look = providers(kind);
  return reference(`the id or name of a provider of the kind ${kind}`, () => look);
}
