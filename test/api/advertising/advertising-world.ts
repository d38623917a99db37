import type { ServiceSchema } from "moleculer";
import { newId } from "../../../core/database/model.ts";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import type { GooglePersonRecord } from "../../simulators/google/grants.ts";
import { GoogleAdsSimulator } from "../../simulators/google-ads/google-ads.ts";
import type { SimulatedCustomer } from "../../simulators/google-ads/state.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";
import { configureWorkspace, connected, withoutCalendars } from "../../support/workspace.ts";

/** The developer token of the instance. */
export const DEVELOPER_TOKEN = "an-instance-token-of22";

/** Version of the API that is called; another one where the suite is run with it. */
export const VERSION = process.env["TEST_ADS_VERSION"] ?? "v26";

/** The service with a simulated Google and Google Ads. */
export interface AdvertisingWorld {
  service: TestService;
  google: GoogleSimulator;
  ads: GoogleAdsSimulator;
  /** Forgets what both simulators have; the instance's token works. */
  reset(): void;
  stop(): Promise<void>;
}

/** @param environment settings that differ from the tests' own */
export async function startAdvertising(
  environment: Record<string, string> = {},
  extra: readonly ServiceSchema[] = [],
): Promise<AdvertisingWorld> {
  const google = new GoogleSimulator();
  const ads = new GoogleAdsSimulator(google);
  await Promise.all([google.start(), ads.start()]);
  const own = { SERVICE_ADS_DEVELOPER_TOKEN: DEVELOPER_TOKEN, SERVICE_ADS_API_VERSION: VERSION };
  const settings = { ...own, ...google.environment, ...ads.environment, ...environment };
  const service = await startService(settings, extra);
  await withoutCalendars(service.sql);
  return {
    service,
    google,
    ads,
    reset() {
      google.reset();
      ads.reset();
      ads.state.developerTokens.add(DEVELOPER_TOKEN);
    },
    async stop() {
      await service.stop();
      await Promise.all([google.stop(), ads.stop()]);
    },
  };
}

/** An organisation whose owner has connected with advertising, and an account that the owner reaches. */
export interface Advertiser {
  tenant: Tenant;
  owner: Caller;
  person: GooglePersonRecord;
  customer: SimulatedCustomer;
  connectionId: string;
}

export async function advertiser({ service, google, ads }: AdvertisingWorld): Promise<Advertiser> {
  const tenant = await service.tenant();
  await configureWorkspace(google, tenant);
  const { owner } = tenant;
  const person = await connected(google, owner, { query: "include_ads=true" });
  const customer = ads.state.customer({ descriptiveName: "Bakery" });
  ads.state.let(person.subject, customer);
  return { tenant, owner, person, customer, connectionId: await connectionIdOf(service, owner) };
}

/** The connection of a person. */
export async function connectionIdOf({ sql }: TestService, { accountId }: Caller): Promise<string> {
  const { rows } = await sql.query("select id from workspace_connections where account_id = $1", [accountId]);
  return rows[0].id;
}

/** Writes an account without any call, and gives its id. */
export async function writtenAccount(
  { sql }: TestService,
  { tenant, customer, connectionId }: Pick<Advertiser, "tenant" | "customer" | "connectionId">,
  values: Record<string, unknown> = {},
): Promise<string> {
  const all: Record<string, unknown> = {
    id: newId(),
    organisation_id: tenant.organisation.id,
    customer_id: customer.id,
    connection_id: connectionId,
    descriptive_name: customer.values.descriptiveName,
    currency_code: customer.values.currencyCode,
    time_zone: customer.values.timeZone,
    ...values,
  };
  const names = Object.keys(all);
  const places = names.map((_, at) => `$${at + 1}`).join(", ");
  await sql.query(`insert into ads_accounts (${names.join(", ")}) values (${places})`, Object.values(all));
  return all["id"] as string;
}
