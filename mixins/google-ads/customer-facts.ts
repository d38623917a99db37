import type { AdsAccess } from "./transport.ts";
import { searchAds } from "./transport.ts";

interface CustomerRow {
  customer?: {
    id?: string;
    descriptiveName?: string;
    currencyCode?: string;
    timeZone?: string;
    manager?: boolean;
    testAccount?: boolean;
    optimizationScore?: number;
    conversionTrackingSetting?: { conversionTrackingStatus?: string };
  };
}

/** The provider's data of an account. */
export interface CustomerFacts {
  /** Empty if the account has no name. */
  descriptive_name: string;
  currency_code: string | null;
  time_zone: string | null;
  is_manager: boolean;
  test_account: boolean;
  conversion_tracking_status: string | null;
  optimization_score: string | null;
}

const QUERY = `SELECT customer.id, customer.descriptive_name, customer.currency_code, customer.time_zone, customer.manager,
  customer.test_account, customer.optimization_score, customer.conversion_tracking_setting.conversion_tracking_status
  FROM customer LIMIT 1`.replace(/\s+/g, " ");

/** Requests an account's data from the provider; null if it returns no row. @throws AdsFailure */
export async function customerFacts(access: AdsAccess, operation: string): Promise<CustomerFacts | null> {
  const [row] = await searchAds<CustomerRow>(access, QUERY, { operation });
  const customer = row?.customer;
  if (!customer) return null;
  return {
    descriptive_name: customer.descriptiveName ?? "",
    currency_code: customer.currencyCode ?? null,
    time_zone: customer.timeZone ?? null,
    is_manager: customer.manager ?? false,
    test_account: customer.testAccount ?? false,
    conversion_tracking_status: customer.conversionTrackingSetting?.conversionTrackingStatus ?? null,
    optimization_score: customer.optimizationScore === undefined ? null : String(customer.optimizationScore),
  };
}
