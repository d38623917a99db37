import type { analyticsadmin_v1beta } from "googleapis/build/src/apis/analyticsadmin/v1beta.js";
import type { analyticsdata_v1beta } from "googleapis/build/src/apis/analyticsdata/v1beta.js";
import type { calendar_v3 } from "googleapis/build/src/apis/calendar/v3.js";
import type { drive_v3 } from "googleapis/build/src/apis/drive/v3.js";
import type { gmail_v1 } from "googleapis/build/src/apis/gmail/v1.js";
import type { searchconsole_v1 } from "googleapis/build/src/apis/searchconsole/v1.js";
import type { Config } from "../../core/config/config.ts";
import { runtime } from "../../core/config/runtime.ts";
import { type ProviderClient, type ProviderSpec, provider } from "../../core/outbound/provider/provider.ts";

/** Response types of these APIs. */
export type { analyticsdata_v1beta, gmail_v1, searchconsole_v1 };

/** The library's class for each API. */
export interface LibraryClients {
  calendar: calendar_v3.Calendar;
  drive: drive_v3.Drive;
  gmail: gmail_v1.Gmail;
  analyticsAdmin: analyticsadmin_v1beta.Analyticsadmin;
  analyticsData: analyticsdata_v1beta.Analyticsdata;
  searchConsole: searchconsole_v1.Searchconsole;
}
export type LibraryApi = keyof LibraryClients;

/** A calendar event in Google's form, and its start or end. */
export type GoogleEvent = calendar_v3.Schema$Event;
export type GoogleEventTime = calendar_v3.Schema$EventDateTime;
/** A file or folder in Google's form. */
export type GoogleFile = drive_v3.Schema$File;

/** Options of the library's classes: `auth` sends the requests that they build. */
export interface LibraryOptions {
  auth: { request(options: object): Promise<unknown> };
}

/** One Google API: our client for it, and the base address that the library uses. */
interface Api {
  client: ProviderClient;
  /** Address of the API at Google, without a trailing slash: the library puts it before each path. */
  official: string;
}

type AddressSetting = Extract<keyof Config, `workspace${string}ApiUrl`>;

const api = (
  kind: string,
  official: string,
  setting: AddressSetting,
  more: Pick<ProviderSpec, "mostBytes" | "connectTimeout" | "readTimeout" | "share" | "waitsForLimit"> = {},
): Api => ({
  client: provider({ kind: `google_${kind}`, baseUrl: () => runtime().config[setting], ...more }),
  official,
});

/** Reports take longer than other reads (marketing-ads §2.9). */
const SLOW = { connectTimeout: 10_000, readTimeout: 30_000 };
/** At most 4 at once per property on one node. A 429 of theirs means a property's quota, which does not refill within seconds. */
const REPORTS = { ...SLOW, share: 4, waitsForLimit: false };

/** Every API, by its name in calls. A new API needs one line here, one in `LibraryClients` and one in `loadLibrary`. */
export const APIS = {
  calendar: api("calendar", "https://www.googleapis.com/calendar/v3", "workspaceCalendarApiUrl"),
  drive: api("drive", "https://www.googleapis.com/drive/v3", "workspaceDriveApiUrl"),
  upload: api("upload", "https://www.googleapis.com/upload/drive/v3", "workspaceUploadApiUrl"),
  // A message may have 25 MB, a third more in base64.
  gmail: api("gmail", "https://gmail.googleapis.com/gmail/v1", "workspaceGmailApiUrl", { mostBytes: 48 << 20 }),
  analyticsAdmin: api("analytics_admin", "https://analyticsadmin.googleapis.com/v1beta", "workspaceAnalyticsAdminApiUrl", SLOW),
  analyticsData: api("analytics_data", "https://analyticsdata.googleapis.com/v1beta", "workspaceAnalyticsDataApiUrl", REPORTS),
  searchConsole: api(
    "search_console",
    "https://searchconsole.googleapis.com/webmasters/v3",
    "workspaceSearchConsoleApiUrl",
    REPORTS,
  ),
} as const satisfies Record<LibraryApi | "upload", Api>;
export type GoogleApi = keyof typeof APIS;

/** Loads one API of the library at its first call: loading all would add 700 ms and 121 MB to every start. */
const loadLibrary: { readonly [A in LibraryApi]: () => Promise<new (options: LibraryOptions) => LibraryClients[A]> } = {
  calendar: async () => (await import("googleapis/build/src/apis/calendar/index.js")).calendar_v3.Calendar as never,
  drive: async () => (await import("googleapis/build/src/apis/drive/index.js")).drive_v3.Drive as never,
  gmail: async () => (await import("googleapis/build/src/apis/gmail/index.js")).gmail_v1.Gmail as never,
  analyticsAdmin: async () =>
    (await import("googleapis/build/src/apis/analyticsadmin/index.js")).analyticsadmin_v1beta.Analyticsadmin as never,
  analyticsData: async () =>
    (await import("googleapis/build/src/apis/analyticsdata/index.js")).analyticsdata_v1beta.Analyticsdata as never,
  searchConsole: async () =>
    (await import("googleapis/build/src/apis/searchconsole/index.js")).searchconsole_v1.Searchconsole as never,
};

/** The library's client of an API, which sends through `request`. */
export async function libraryClient<A extends LibraryApi>(
  name: A,
  request: LibraryOptions["auth"]["request"],
): Promise<LibraryClients[A]> {
  const Client = await loadLibrary[name]();
  return new Client({ auth: { request } });
}
