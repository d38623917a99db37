import { type GmailState, type SimulatedMail, serveGmail } from "../../simulators/google/gmail.ts";
import type { GooglePersonRecord } from "../../simulators/google/grants.ts";
import type { Answer } from "../../support/http.ts";
import type { Caller, Tenant } from "../../support/service.ts";
import { configureWorkspace, connected, type Workspace } from "../../support/workspace.ts";
import { startWorkspace, type WorkspaceWorld } from "./workspace-world.ts";

/** A colleague with a mailbox. */
export interface MailPerson {
  caller: Caller;
  google: GooglePersonRecord;
}

/** An agency with mail at the simulated Google. */
export interface MailWorld extends WorkspaceWorld {
  gmail: GmailState;
  /** The organisation of the running test; `begin` makes it. */
  tenant: Tenant;
  workspace: Workspace;
  begin(settings?: Record<string, unknown>): Promise<void>;
  /** A colleague whose mailbox is read, with the first poll behind it. */
  colleague(options?: { email?: string; grants?: string[]; polled?: boolean; query?: string }): Promise<MailPerson>;
  /** A contact with an address. @returns its id */
  contact(email: string, companyIds?: readonly string[]): Promise<string>;
  deliver(person: MailPerson, mail?: SimulatedMail): ReturnType<GmailState["deliver"]>;
  /** Has a mailbox read, as the clock does. @returns the answer to its owner */
  poll(person: MailPerson): Promise<Answer>;
  /** Moments as one sees them that came from a mailbox, newest first. */
  moments(who: Caller, query?: string): Promise<Record<string, unknown>[]>;
  /** Rows of the organisation's moments, for any reader. */
  rows(): Promise<Record<string, unknown>[]>;
}

export const CLIENT = "carla@client.example";

export async function startMail(environment: Record<string, string> = {}): Promise<MailWorld> {
  const base = await startWorkspace(environment);
  const gmail = serveGmail(base.google);
  const world = {
    ...base,
    gmail,
    async begin(settings = {}) {
      base.google.reset();
      world.tenant = await base.service.tenant();
      world.workspace = await configureWorkspace(base.google, world.tenant, settings);
    },
    async colleague({ email, grants, polled = true, query = "include_mail=true" } = {}) {
      const caller = await world.tenant.member("member", grants && { grants });
      const google = base.google.state.person(email ?? caller.email);
      await connected(base.google, caller, { query, person: google });
      const person = { caller, google };
      if (polled) await world.poll(person);
      return person;
    },
    async contact(email, company_ids = []) {
      const { status, body, text } = await world.tenant.owner.post("/contacts", { first_name: "Carla", email, company_ids });
      if (status !== 201) throw new Error(text);
      return body.id;
    },
    deliver: (person, mail) => gmail.deliver(person.google, mail),
    async poll({ caller }) {
      await base.service.sql.query(
        `update workspace_mailboxes m set asked_at = null from workspace_connections c
          where c.id = m.connection_id and c.organisation_id = $1 and c.account_id = $2`,
        [world.tenant.organisation.id, caller.accountId],
      );
      return caller.post("/workspace/mail/refresh");
    },
    async moments(who, query = "") {
      const { status, body, text } = await who.get(`/interactions?limit=200&kind=email${query}`);
      if (status !== 200) throw new Error(text);
      return body.items;
    },
    async rows() {
      const { rows } = await base.service.sql.query(
        "select * from interactions where organisation_id = $1 order by occurred_at, id",
        [world.tenant.organisation.id],
      );
      return rows;
    },
  } as MailWorld;
  return world;
}
