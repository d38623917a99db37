import { queryOne } from "../core/database/query.ts";
import { invalid, refusal } from "../core/errors/errors.ts";
import { request } from "../core/request/context.ts";
import { statement } from "../core/sql/statement.ts";

const PROVIDER = statement("select kind from providers where organisation_id = $1 and id = $2");

/** The trimmed name of a DNS or registrar account (assets §6, §10.2). @throws 422 on `name` if blank */
export function accountName(typed: string): string {
  const name = typed.trim();
  if (name === "") throw invalid({ name: "errors.required" });
  return name;
}

/**
 * Checks that the catalogue provider named by a DNS or registrar account exists and is of the right kind (assets §1, §6). Runs one
 * statement, or none without an id.
 * @throws 422 on `provider_id` if it does not exist, 400 `invalid_provider` if it is of another kind
 */
export async function requireAccountProvider(id: string | null | undefined, kind: "dns" | "registrar"): Promise<void> {
  if (!id) return;
  const provider = await queryOne<{ kind: string }>(PROVIDER, [request().organisation.id, id]);
  if (!provider) throw invalid({ provider_id: "errors.not_found" });
  if (provider.kind !== kind) throw refusal("invalid_provider");
}
