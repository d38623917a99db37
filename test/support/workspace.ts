import type pg from "pg";
import type { Consent, GoogleSimulator } from "../simulators/google/google.ts";
import type { GooglePersonRecord, SimulatedClient } from "../simulators/google/grants.ts";
import type { Answer } from "./http.ts";
import type { Caller, Tenant } from "./service.ts";

/** An organisation with an OAuth client, for the workspace tests. */
export interface Workspace {
  tenant: Tenant;
  client: SimulatedClient;
  /** Saves the settings again with these changes. */
  configure(values?: Record<string, unknown>): Promise<Answer>;
}

const ALL_ON = { calendar_enabled: true, drive_enabled: true, mail_enabled: true };

const right = (answer: Answer, status: number): Answer => {
  if (answer.status !== status) throw new Error(`${answer.status} in place of ${status}: ${answer.text}`);
  return answer;
};

/**
 * Configures an OAuth client of the organisation and enables every surface.
 * @param values settings that differ
 */
export async function configureWorkspace(
  google: GoogleSimulator,
  tenant: Tenant,
  values: Record<string, unknown> = {},
): Promise<Workspace> {
  const client = google.state.client();
  const all = { ...ALL_ON, client_id: client.id, client_secret: client.secret, ...values };
  const configure = (more: Record<string, unknown> = {}) => tenant.owner.put("/workspace/settings", { ...all, ...more });
  right(await configure(), 200);
  return { tenant, client, configure };
}

/** The address the service redirects a browser to. @param answer of `connect` or `callback` */
export const locationOf = (answer: Answer): string => answer.headers.location ?? "";

export interface Connecting extends Consent {
  /** Query of `connect`, such as `include_mail=true`. */
  query?: string;
  /** The person who signs in at Google; a new one by default. */
  person?: GooglePersonRecord;
}

let counter = 0;

/**
 * Connects a person through the real endpoints, like a browser.
 * @returns the person at Google, and where the browser ends: `…?workspace=connected` or `…?workspace=error`
 */
export async function connect(
  google: GoogleSimulator,
  who: Caller,
  { query = "", person = google.state.person(`person${++counter}@example.com`), ...consent }: Connecting = {},
): Promise<{ person: GooglePersonRecord; landing: string }> {
  const sent = right(await who.get(`/workspace/oauth/connect?${query}`), 302);
  const back = new URL(google.consent(locationOf(sent), person, consent));
  const landed = right(await who.get(`/${back.pathname}${back.search}`), 307);
  return { person, landing: locationOf(landed) };
}

/** Connects a person; it must succeed. @returns the person at Google */
export async function connected(google: GoogleSimulator, who: Caller, how: Connecting = {}): Promise<GooglePersonRecord> {
  const { person, landing } = await connect(google, who, how);
  if (!/[?&]workspace=connected$/.test(landing)) throw new Error(`not connected: ${landing}`);
  return person;
}

/** Stops calendars from syncing as soon as people connect: the sync would add to the calls that a test counts. */
export const withoutCalendars = (sql: Pick<pg.ClientBase, "query">) =>
  sql.query(`create function begins_no_calendar() returns trigger language plpgsql as $$ begin return null; end $$;
    create trigger no_calendars before insert on outbox for each row when (new.job = 'workspace.calendar.start')
      execute function begins_no_calendar()`);
