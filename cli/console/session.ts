import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import type { CallingOptions, ServiceBroker } from "moleculer";
import pg from "pg";
import { nearestTo } from "../../core/config/nearest-name.ts";
import { runtime } from "../../core/config/runtime.ts";
import { isTenanted } from "../../core/declare/action.ts";
import type { Meta, Organisation } from "../../core/declare/principal.ts";
import type { HttpAnswer, HttpParams } from "../../core/request/context.ts";
import { SYSTEM } from "../../core/request/system.ts";
import { type LiveAction, liveActions } from "../../mixins/live-registry.ts";

/** The console rejects a request; the message is one sentence. */
export class ConsoleError extends Error {
  override name = "ConsoleError";
}

export type ListedAction = LiveAction;

/** A session of one attached console on a running node. */
export interface Session {
  broker: ServiceBroker;
  /** Database URL of the role that owns the tables, the only one that sees every organisation. */
  ownerUrl: string | undefined;
  /** The organisation in which later calls run as the system. */
  organisation: Organisation | null;
}

/** Runs a query as the owner of the tables. @throws ConsoleError if only the application role is configured */
export async function ownerRows(session: Session, sql: string, values: unknown[] = []): Promise<pg.QueryResultRow[]> {
  if (session.ownerUrl === undefined)
    throw new ConsoleError(
      "This node knows only the application role: set SERVICE_DATABASE_MIGRATION_URL to look across organisations.",
    );
  const client = new pg.Client({ connectionString: session.ownerUrl, application_name: "kantoor console" });
  // The query reports a lost connection; without a listener the error would end the service.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** This service's actions on all nodes. */
export const listedActions = (broker: ServiceBroker): ListedAction[] => [...liveActions(broker)];

function metaOf({ organisation }: Session): Meta {
  const { config, scheme } = runtime();
  if (!organisation) throw new ConsoleError("Enter `as <organisation>` first: that action runs inside an organisation.");
  const host = `${organisation.slug}.${config.baseDomain}`;
  const requestId = `console-${randomUUID()}`;
  return { organisation, principal: SYSTEM, requestId, host, address: "console", userAgent: null, origin: `${scheme}://${host}` };
}

/** Parameters as the gateway passes them, so that the action's own schemas validate them. */
function httpParams({ urlPath = "" }: ListedAction, { body, ...parameters }: Record<string, unknown>): HttpParams {
  const texts = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return { $http: { path: urlPath, parameters: Object.fromEntries(texts), body } };
}

/** An action that is on no node, with its nearest name. */
function unknownAction(name: string, all: readonly ListedAction[]): ConsoleError {
  const near =
    all.length === 0
      ? null
      : nearestTo(
          name,
          all.map((action) => action.name),
        );
  return new ConsoleError(
    `There is no action '${name}'${near?.isMisspelt ? `; did you mean '${near.nearest}'?` : "; see `actions`."}`,
  );
}

/**
 * Calls an action. An action with a route runs like a request from the permission check on, as the system in the session's organisation, so
 * that its parameters are validated and its statements counted; `body` is the request body.
 */
export async function callAction(
  session: Session,
  name: string,
  params: Record<string, unknown>,
  options: CallingOptions = {},
): Promise<unknown> {
  const all = listedActions(session.broker);
  const action = all.find((listed) => listed.name === name);
  if (!action && !session.broker.registry.actions.isAvailable(name)) throw unknownAction(name, all);
  if (action === undefined || !isTenanted(action)) return session.broker.call(name, params, options);
  const meta = { ...options.meta, ...metaOf(session) };
  if (!action.rest) return session.broker.call(name, params, { ...options, meta });
  const { body } = await session.broker.call<HttpAnswer, HttpParams>(name, httpParams(action, params), { ...options, meta });
  return body === null ? null : JSON.parse(body);
}

export const shown = (value: unknown, colours = false): string =>
  inspect(value, { depth: 6, colors: colours, maxArrayLength: 200, breakLength: 120 });
