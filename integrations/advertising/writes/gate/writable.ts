import { queryOne } from "../../../../core/database/query.ts";
import { notFound, refusal } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { adsSettings } from "../../../../mixins/google-ads/developer-token.ts";
import type { AdsAccountRow } from "../../../../mixins/google-ads/models.ts";

const NOW = statement("select active from ads_accounts where organisation_id = $1 and id = $2 for share");

/** @throws 409 `ads_platform_writes_disabled` if the organisation allows no writes, or the account was unlinked */
export async function requireWritable({ active }: Pick<AdsAccountRow, "active">): Promise<void> {
  if (!active || (await adsSettings())?.writes_enabled === false) throw refusal("ads_platform_writes_disabled");
}

/** The same for the present state of an account that was read before. @throws also 404 if it is gone */
export async function requireStillWritable(accountId: string): Promise<void> {
  const now = await queryOne<Pick<AdsAccountRow, "active">>(NOW, [request().organisation.id, accountId]);
  if (!now) throw notFound();
  await requireWritable(now);
}
