import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger, ServiceBroker } from "moleculer";
import { runtime } from "../../core/config/runtime.ts";
import { StaleAccess } from "../../core/database/connection/database.ts";
import { eventsDocument } from "../../core/declare/events.ts";
import type { Meta, Organisation } from "../../core/declare/principal.ts";
import { webhookEvents } from "../../core/declare/record-events.ts";
import { forbidden, isApiError, notFound, unauthorized } from "../../core/errors/errors.ts";
import { sessionCookie } from "../../core/http/session-cookie.ts";
import { subscriptions } from "../../core/jobs/store.ts";
import { keepsMail } from "../../core/mail/mail-sender.ts";
import type { HttpAnswer } from "../../core/request/context.ts";
import { describe } from "./http/answers.ts";
import { type Credential, requireSameOrigin } from "./http/credentials.ts";
import type { Callers } from "./http/hosts.ts";
import { splitUrl } from "./http/input.ts";
import type { InstanceCalls } from "./instance-calls.ts";
import type { Declaration } from "./openapi/declaration.ts";
import { type DocumentForm, docsHandler } from "./openapi/docs.ts";
import { openApiDocument } from "./openapi/openapi.ts";
import { codegenDocument } from "./openapi/openapi-codegen.ts";
import { referenceDocument } from "./openapi/openapi-reference.ts";
import { isOps, serveOps } from "./ops/ops.ts";
import { isOpsMail, serveOpsMail } from "./ops/ops-mail.ts";
import type { DeclaredPage } from "./pages/declared.ts";
import { isPage, servePage } from "./pages/pages.ts";
import type { CachedPrincipal, Principals } from "./principals.ts";
import type { Routes } from "./routes.ts";

const REFERENCE = /^\/api\/(docs|redoc|reference|guide|openapi\.json|events\.json)(\/|$)/;

/** What these routes need from the gateway. */
export interface GatewayParts {
  broker: ServiceBroker;
  logger: Logger;
  routing: Routes;
  principals: Principals;
  instance: InstanceCalls;
  callers(): Callers;
  readCredential(request: IncomingMessage): Credential | null;
}

/** A request outside the API, with access to the API. */
export interface Visit {
  path: string;
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  api(request: IncomingMessage): Promise<HttpAnswer>;
  /** The page that an actor declares for this path. */
  page: DeclaredPage | null;
  /** Cookies renewed by API calls so far: using pages extends a session as using the API does. */
  renewed(): string[];
}

const MAKE: Readonly<Record<DocumentForm, (document: object) => object>> = {
  codegen: codegenDocument,
  reference: referenceDocument,
};

/** An OpenAPI document as text, built once per state of the registry. */
class RenewedDocument {
  readonly #declarations: () => Declaration[];
  readonly #logger: Logger;
  /** Undefined for the document of the instance administrators. */
  readonly #webhooks: ReturnType<typeof webhookEvents> | undefined;
  #document: string | null = null;
  #last: string | null = null;
  /** The other forms, with the text that each was made of. */
  readonly #forms = new Map<DocumentForm, { of: string; text: string }>();

  constructor(declarations: () => Declaration[], logger: Logger, webhooks?: ReturnType<typeof webhookEvents>) {
    this.#declarations = declarations;
    this.#logger = logger;
    this.#webhooks = webhooks;
  }

  /** The registry has changed. */
  forget(): void {
    this.#document = null;
  }

  text(): string {
    const { config, scheme, version } = runtime();
    const info = {
      version,
      serverUrl: "/api/v1",
      keyPrefix: config.keyPrefix,
      sessionCookie: sessionCookie(scheme),
      ...(this.#webhooks ? { webhooks: this.#webhooks } : ({ ofInstance: true } as const)),
    };
    try {
      this.#document ??= JSON.stringify(openApiDocument(this.#declarations(), info));
      this.#last = this.#document;
    } catch (error) {
      // While nodes are being replaced, two versions of one schema can conflict; keep the last valid document.
      if (this.#last === null) throw error;
      this.#logger.warn({ event: "api.document_not_renewed", error: describe(error) }, "the API document was not renewed");
    }
    return this.#document ?? (this.#last as string);
  }

  /** Another form of it. */
  form(name: DocumentForm): string {
    const of = this.text();
    const known = this.#forms.get(name);
    if (known?.of === of) return known.text;
    const text = JSON.stringify(MAKE[name](JSON.parse(of)));
    this.#forms.set(name, { of, text });
    return text;
  }
}

const formsOf = (document: RenewedDocument) => ({
  document: () => document.text(),
  forms: { codegen: () => document.form("codegen"), reference: () => document.form("reference") },
});

/** Serves everything outside the API: its reference, the operator's pages, and the pages for people. */
export class SystemRoutes {
  readonly #parts: GatewayParts;
  readonly #documents: Record<"organisation" | "instance", RenewedDocument>;
  readonly #docs: Record<"organisation" | "instance", ReturnType<typeof docsHandler>>;

  constructor(parts: GatewayParts) {
    const { routing, logger } = parts;
    this.#parts = parts;
    const documents = {
      organisation: new RenewedDocument(() => routing.declarations, logger, webhookEvents()),
      instance: new RenewedDocument(() => routing.ofInstance, logger),
    };
    this.#documents = documents;
    this.#docs = {
      organisation: docsHandler({ ...formsOf(documents.organisation), events: eventsText, title: "Kantoor API" }),
      instance: docsHandler({ ...formsOf(documents.instance), events: eventsText, title: "Kantoor instance API" }),
    };
  }

  /** Drops the cached documents after a registry change. */
  forgetDocument(): void {
    for (const document of Object.values(this.#documents)) document.forget();
  }

  /** Answers a visit. Returns false for a path that is not its own. */
  async serve({ path, request, response, requestId, api, page, renewed }: Visit): Promise<boolean> {
    const onInstance = this.#parts.instance.isHost(request);
    if (onInstance && REFERENCE.test(path)) return this.#instanceReference(path, request, response, requestId);
    if (
      !onInstance &&
      path === "/" &&
      runtime().config.apiDocsEnabled &&
      (request.method === "GET" || request.method === "HEAD")
    ) {
      response.writeHead(302, { Location: "/api/docs", "Content-Length": "0" }).end();
      return true;
    }
    if (REFERENCE.test(path)) return this.#reference(path, request, response);
    if (isOps(path)) {
      await this.#operate(path, request, response, requestId).catch((error: unknown) => {
        if (!this.#wantsSignIn(request, error)) throw error;
        response.writeHead(303, { Location: signInAddress(request), "Cache-Control": "no-store", "Content-Length": "0" }).end();
      });
      return true;
    }
    if (!page && !isPage(path, onInstance)) return false;
    const { origin, host } = this.#parts.callers();
    await servePage(request, response, { onInstance, call: api, page, renewed, origin: (visitor) => origin(host(visitor)) });
    return true;
  }

  /** Serves the reference of the instance administrators' API, to them alone where the reference is for staff. */
  async #instanceReference(path: string, request: IncomingMessage, response: ServerResponse, id: string): Promise<boolean> {
    const { config } = runtime();
    if (!config.apiDocsEnabled) return false;
    if (config.apiDocsAccess === "staff" && !(await this.#parts.instance.caller(request, id))) throw unauthorized();
    return this.#docs.instance(path, request, response);
  }

  /** Serves the API reference (conventions §21). Returns false for a path that is not its own. */
  async #reference(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const { config } = runtime();
    if (!config.apiDocsEnabled) return false;
    if (config.apiDocsAccess === "staff") {
      const { known } = await this.#reader(request);
      if (!known) throw unauthorized();
      if (known.principal.isClientLogin) throw forbidden();
    }
    return this.#docs.organisation(path, request, response);
  }

  /** Serves an operator page. @throws 401, 403 */
  async #operate(path: string, request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> {
    if (this.#parts.instance.isHost(request)) return this.#operateInstance(path, request, response, requestId);
    const meta = await this.#operator(request, requestId);
    if (!isOpsMail(path)) {
      requireSameOrigin(request, meta.origin);
      const superuser = { accountId: meta.principal?.accountId as string, host: meta.host };
      const record = (act: string, detail: Record<string, unknown>) =>
        this.#parts.instance.record(request, requestId, act, detail, superuser);
      return serveOps({ broker: this.#parts.broker, hasMail: keepsMail(), record }, path, request, response);
    }
    const call = (action: string, parameters: object) => this.#parts.broker.call(action, parameters, { meta });
    return serveOpsMail(path, request, response, call as Parameters<typeof serveOpsMail>[3]);
  }

  /**
   * Serves an operator page on the host of the instance administrators, to those who may see the jobs of every organisation. Stored mail
   * belongs to an organisation, and has no page there.
   * @throws 401, 403, 404
   */
  async #operateInstance(path: string, request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> {
    const caller = await this.#parts.instance.caller(request, requestId);
    if (!caller) throw unauthorized();
    if (!caller.capabilities.includes("jobs") || caller.organisations !== null) throw forbidden();
    if (isOpsMail(path)) throw notFound();
    const record = (act: string, detail: Record<string, unknown>) => this.#parts.instance.record(request, requestId, act, detail);
    return serveOps({ broker: this.#parts.broker, hasMail: false, record }, path, request, response);
  }

  /** Whether a page visitor was refused only for lack of a session. */
  #wantsSignIn(request: IncomingMessage, error: unknown): boolean {
    const reads = request.method === "GET" || request.method === "HEAD";
    const shows = /\btext\/html\b/.test(request.headers.accept ?? "");
    const isAnonymous = isApiError(error) && error.code === 401 && this.#parts.readCredential(request)?.kind !== "key";
    return reads && shows && isAnonymous;
  }

  /**
   * Who may look at the operator's pages on an organisation's host: a superuser with a session. The only place that decides it.
   * @throws 401 without a session, 403 for everyone else
   */
  async #operator(request: IncomingMessage, requestId: string): Promise<Meta> {
    const { organisation, known } = await this.#reader(request);
    if (known?.principal.credential.kind !== "session") throw unauthorized();
    // An organisation's own identity provider does not prove who operates the installation.
    if (!known.principal.isSuperuser || known.isSso) throw forbidden();
    const callers = this.#parts.callers();
    const host = callers.host(request);
    const [address, origin] = [callers.address(request), callers.origin(host)];
    return { organisation, principal: known.principal, requestId, host, address, origin, userAgent: null };
  }

  /** The caller of a page that is not an action, confirmed by its own statement. */
  async #reader(request: IncomingMessage): Promise<{ organisation: Organisation; known: CachedPrincipal | null }> {
    const { principals, callers, readCredential } = this.#parts;
    const host = callers().host(request);
    const slug = callers().slug(host);
    const credential = readCredential(request);
    for (;;) {
      const { organisation, known } = await principals.resolve(host, slug, credential, credential?.kind === "key");
      try {
        await principals.confirm(organisation);
        return { organisation, known };
      } catch (error) {
        if (!(error instanceof StaleAccess)) throw error;
        principals.forget(host, organisation, credential);
      }
    }
  }
}

/** The sign-in address that returns the visitor to this page. */
const signInAddress = ({ url }: IncomingMessage): string =>
  `/login?next=${encodeURIComponent(
    splitUrl(url ?? "/")
      .join("?")
      .replace(/\?$/, ""),
  )}`;

/** The event catalogue with all subscribers, including actors that are down. */
async function eventsText(): Promise<string> {
  const subscribers = Map.groupBy(await subscriptions(), ({ event }) => event);
  const names = new Map([...subscribers].map(([event, all]) => [event, all.map(({ service }) => service)]));
  return JSON.stringify(eventsDocument(runtime().version, webhookEvents(), names));
}
