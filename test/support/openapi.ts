import { listQuery } from "../../core/database/lists/list.ts";
import { type Action, action } from "../../core/declare/action.ts";
import { internal } from "../../core/declare/makers/internal.ts";
import { openAction } from "../../core/declare/makers/open-action.ts";
import { passwordSignIn } from "../../core/declare/makers/password-sign-in.ts";
import { untenanted } from "../../core/declare/makers/untenanted.ts";
import {
  answer,
  choice,
  date,
  decimal,
  flag,
  input,
  instant,
  integer,
  link,
  list,
  map,
  neverNull,
  nullable,
  optional,
  page,
  Type,
  text,
  uuid,
} from "../../core/schema/schema.ts";
import { type Declaration, describeAction } from "../../services/api/openapi/declaration.ts";
import { openApiDocument } from "../../services/api/openapi/openapi.ts";

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Record<string, unknown>;
}
/** One answer of an operation. */
export interface Answer {
  description: string;
  headers: Record<string, unknown>;
  content?: Record<string, { schema: unknown; example?: unknown; examples?: Record<string, { value: { error: unknown } }> }>;
}
/** One operation of the document. */
export interface Operation {
  operationId: string;
  description: string;
  tags: string[];
  security?: object[];
  parameters?: (Parameter & { $ref?: string })[];
  requestBody?: { required: boolean; content: Record<string, { schema: unknown; example?: unknown }> };
  responses: Record<string, Answer & { $ref?: string }>;
  [extension: `x-${string}`]: unknown;
}
/** The part of the document that the tests read. */
export interface Document {
  openapi: string;
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<
    "schemas" | "responses" | "parameters" | "headers" | "securitySchemes",
    Record<string, Record<string, unknown>>
  >;
}

const INFO = { version: "0.1.0", serverUrl: "/api/v1", keyPrefix: "kt" };
/** A handler that does nothing. */
export const handler = () => null;
/** Converts a declaration to the gateway's view of it. */
export const declare = (name: string, declared: Action): Declaration => describeAction({ ...declared, name });

const Status = choice(["lead", "active", "archived"], { $id: "CompanyStatus" });
const StatusActive = choice(["lead", "active", "archived"], { $id: "CompanyStatus", default: "active" });
const Tax = answer("TaxGroup", { rate: decimal(), message: text(20), link: link(100) });
/** A schema with every nesting that schemas use. */
export const CompanyRead = answer("CompanyRead", {
  id: uuid(),
  name: text(255),
  status: Status,
  since: nullable(date()),
  tax: nullable(Tax),
  history: list(answer("Change<Status>", { at: instant(), to: nullable(Status) })),
  either: Type.Union([Tax, Type.String()]),
  by_rate: map(Tax),
});
const CompanyCreate = input("CompanyCreate", {
  name: Type.String({ minLength: 1, maxLength: 255, message: "errors.required" }),
  status: optional(StatusActive),
  website: optional(nullable(link(512))),
  colour: optional(neverNull(nullable(Type.String({ pattern: "^#[0-9a-f]{6}$" })))),
  opens: optional(Type.Unsafe<string>({ type: "string", format: "time" })),
});

/** The example of `POST /companies`. */
export const EXAMPLE = { name: "Bakkerij Jansen", status: "lead" };

/** Actions of every kind that the document distinguishes. */
export const fixture = (): Declaration[] => [
  declare(
    "companies.list",
    action({
      rest: "GET /companies",
      summary: "List companies",
      permission: "companies.company.read",
      query: {
        ...listQuery({ name: { by: "t.name" } }),
        mine: optional(flag(false)),
        scope: Type.String({ description: "Which ones." }),
      },
      returns: page(CompanyRead),
      handler,
    }),
  ),
  declare(
    "companies.create",
    action({
      rest: "POST /companies",
      summary: "Create a company",
      description: "Numbers it as well.",
      permission: "companies.company.write",
      body: CompanyCreate,
      returns: CompanyRead,
      errors: ["conflict errors.companies.client_number_taken", "conflict"],
      example: EXAMPLE,
      handler,
    }),
  ),
  declare(
    "companies.get",
    action({
      rest: "GET /companies/:company_id",
      summary: "Read a company",
      permission: "companies.company.read",
      returns: CompanyRead,
      errors: ["not_found"],
      handler,
    }),
  ),
  declare(
    "companies.remove",
    action({
      rest: "DELETE /companies/:company_id",
      summary: "Delete a company",
      permission: "companies.company.delete",
      handler,
    }),
  ),
  declare(
    "leave.years.update",
    action({
      rest: "PATCH /leave/years/:year",
      summary: "Change a year",
      permission: "leave.request.write:own",
      also: ["leave.request.read"],
      path: { year: integer(2000, 2100) },
      body: input("YearUpdate", { closed: optional(flag()) }),
      returns: answer("Year", { year: integer(), closed: flag() }),
      errors: ["conflict"],
      handler,
    }),
  ),
  declare(
    "leave.years.reopen",
    action({
      rest: "POST /leave/years/:year/reopen",
      summary: "Reopen a year",
      permission: "leave.request.write:any",
      licenceExempt: "recording what already happened must always work",
      path: { year: integer(2000, 2100) },
      errors: ["conflict"],
      handler,
    }),
  ),
  declare(
    "auth.login",
    passwordSignIn({
      rest: "POST /auth/login",
      summary: "Sign in",
      open: "signing in",
      needs: "nothing",
      bodyType: "application/x-www-form-urlencoded",
      body: input("Login", { username: text(320), password: text(1024) }),
      returns: answer("LoginChallenge", { challenge: text(100) }),
      status: 200,
      otherStatuses: { 204: "Signed in." },
      errors: ["login_bad_credentials"],
      handler,
    }),
  ),
  declare(
    "auth.logout",
    openAction({ rest: "POST /auth/logout", summary: "Sign out", open: "own session", needs: "session", handler }),
  ),
  declare(
    "auth.logo",
    openAction({
      rest: "PUT /auth/logo",
      summary: "Upload a picture",
      open: "own picture",
      body: input("Picture", { file: Type.String({ format: "binary" }), title: text(20) }),
      handler,
    }),
  ),
  declare(
    "health.ready",
    untenanted({
      rest: "GET /health/ready",
      summary: "Readiness",
      open: "probes have no credential",
      returns: answer("Readiness", { status: text(20) }),
      otherStatuses: { 503: "Not ready." },
      handler: async () => ({ status: 200, body: { status: "ok" } }),
    }),
  ),
  declare("companies.hours", internal({ summary: "Figures for other actors", permission: "companies.company.read", handler })),
];

/** Renders the document of the declarations. */
export const documentOf = (declarations: Declaration[]) => openApiDocument(declarations, INFO) as Document;

/** Finds the operation of a route such as `GET /companies/{company_id}`. */
export function operationOf({ paths }: Document, route: string): Operation {
  const [method = "", place = ""] = route.split(" ");
  return paths[place]?.[method.toLowerCase()] as Operation;
}
