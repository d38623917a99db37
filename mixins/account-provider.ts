import { queryOne } from "../core/database/query.ts";
import { statement } from "../core/database/statement.ts";
import { invalid, refusal } from "../core/declare/errors.ts";
import { request } from "../core/request/context.ts";

const PROVIDER = statement("select kind from providers where organisation_id = $1 and id = $2");

/**
 * Checks the provider of the catalogue that an account at a provider names: one that is not there is told from one of another kind
 * (assets §1, §6). One statement, none where no provider is named.
 * @throws 422 on `provider_id` for one that is not there, 400 `invalid_provider` for one of another kind
 */
export async function requireAccountProvider(id: string | null | undefined, kind: "dns" | "registrar"): Promise<void> {
  if (!id) return;
  const provider = await queryOne<{ kind: string }>(PROVIDER, [request().organisation.id, id]);
  if (!provider) throw invalid({ provider_id: "errors.not_found" });
  if (provider.kind !== kind) throw refusal("invalid_provider");
}
