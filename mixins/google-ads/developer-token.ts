import { runtime } from "../../core/config/runtime.ts";
import { columns } from "../../core/database/model.ts";
import { queryOne } from "../../core/database/query.ts";
import { unsealed } from "../../core/database/sealed.ts";
import { request } from "../../core/request/context.ts";
import { statement } from "../../core/sql/statement.ts";
import { AdsSettings, type AdsSettingsRow, MarketingSettings, type MarketingSettingsRow } from "./models.ts";

const OF_ADVERTISING = statement(`select ${columns(AdsSettings)} from ads_settings where organisation_id = $1`);
const OF_MARKETING = statement(`select ${columns(MarketingSettings)} from marketing_settings where organisation_id = $1`);

/** The advertising settings of the organisation; undefined before they are first saved. */
export const adsSettings = (): Promise<AdsSettingsRow | undefined> =>
  queryOne<AdsSettingsRow>(OF_ADVERTISING, [request().organisation.id]);

/** The marketing settings of the organisation; undefined before they are first saved. */
export const marketingSettings = (): Promise<MarketingSettingsRow | undefined> =>
  queryOne<MarketingSettingsRow>(OF_MARKETING, [request().organisation.id]);

/** No key of this installation decrypts the stored developer token. */
export class TokenUnreadable extends Error {
  override name = "TokenUnreadable";
}

/**
 * The developer token for calls: from the advertising settings, the marketing settings or the instance, in this order (marketing-ads §2.4).
 * Null if none is set.
 * @throws TokenUnreadable
 */
export async function developerToken(): Promise<string | null> {
  const [ads, marketing] = [await adsSettings(), await marketingSettings()];
  if (ads?.developer_token) return read(unsealed(AdsSettings, ads, "developer_token"));
  if (marketing?.ads_developer_token) return read(unsealed(MarketingSettings, marketing, "ads_developer_token"));
  return runtime().config.adsDeveloperToken ?? null;
}

function read(token: string | null): string {
  if (token === null) throw new TokenUnreadable("the stored developer token cannot be decrypted");
  return token;
}
