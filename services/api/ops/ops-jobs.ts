import type { IncomingMessage, ServerResponse } from "node:http";
import type { Express } from "express";
import type { ServiceBroker } from "moleculer";
import { invalid, notFound, refusal } from "../../../core/errors/errors.ts";
import { masked } from "../../../core/jobs/mask.ts";
import { workers } from "../../../core/jobs/store.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { CallerGone } from "../http/receiving.ts";

const ROOT = "/ops/jobs";
/** Blocked dashboard calls: they could create a job with any name and payload, but only transactions create jobs here. */
const FORBIDDEN = /^\/api\/jobs\/(create|requeue)\b/;
const HEADERS = {
  "Cache-Control": "no-store",
  "X-Robots-Tag": "noindex, nofollow",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
};

/** Whether a path belongs to the job dashboard. */
export const isOpsJobs = (path: string): boolean => path === ROOT || path.startsWith(`${ROOT}/`);

/** An express application as a handler: it calls `next` for requests it does not answer. */
type Handle = (request: IncomingMessage, response: ServerResponse, next: (error?: Error) => void) => void;

const apps = new WeakMap<ServiceBroker, Promise<Express>>();

/** A dashboard answer with every payload masked. */
function withoutTexts(body: { jobs?: { job: { data?: unknown } }[] }): object {
  if (!Array.isArray(body.jobs)) return body;
  return { ...body, jobs: body.jobs.map((each) => ({ ...each, job: { ...each.job, data: masked(each.job.data) } })) };
}

/** Loads Agenda's dashboard as an express application, on first use. @throws 503 while the job store is down */
async function dashboard(broker: ServiceBroker): Promise<Express> {
  const agenda = await jobsOf(broker).dashboard();
  if (!agenda) throw refusal("unavailable", undefined, { headers: { "Retry-After": "5" } });
  const [{ default: express }, { createExpressMiddleware }] = await Promise.all([import("express"), import("agendash")]);
  const app = express();
  app.disable("x-powered-by");
  app.use(ROOT, (request, response, next) => {
    if (FORBIDDEN.test(request.path)) return void response.status(403).json({ error: "not offered here" });
    const send = response.json.bind(response);
    response.json = (body) => send(withoutTexts(body));
    next();
  });
  app.use(ROOT, createExpressMiddleware(agenda));
  return app;
}

/** Maps a dashboard failure. Express would log it and send it to the caller, stack included. */
function failureOf(error: (Error & { status?: number; type?: string }) | undefined): unknown {
  if (!error) return notFound();
  if (error.type === "request.aborted") return new CallerGone();
  const { status = 500 } = error;
  if (status === 413) return refusal("validation", "errors.upload_too_large", { fields: { _: "errors.upload_too_large" } });
  return status < 500 ? invalid({ _: "errors.validation" }) : error;
}

/** Job figures of every node, and the declared jobs. */
async function figures(broker: ServiceBroker): Promise<object> {
  const engine = jobsOf(broker);
  return {
    node: broker.nodeID,
    jobs: engine.meter.read(),
    declared: engine.definitions.map(({ name }) => name),
    workers: await workers(),
  };
}

/**
 * Serves the operator's view of jobs: Agenda's dashboard, and `/ops/jobs/figures` as JSON. The caller decides who may look.
 * @throws 503 while the job store is down
 */
export async function serveOpsJobs(
  broker: ServiceBroker,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  if (path === ROOT) {
    response.writeHead(302, { Location: `${ROOT}/` }).end();
    return;
  }
  if (path === `${ROOT}/figures`) {
    response.setHeader("Content-Type", "application/json; charset=utf-8");
    response.end(JSON.stringify(await figures(broker)));
    return;
  }
  let app = apps.get(broker);
  if (!app) {
    apps.set(broker, (app = dashboard(broker)));
    app.catch(() => apps.delete(broker));
  }
  const handle = (await app) as unknown as Handle;
  await new Promise<void>((resolve, reject) => {
    response.once("close", resolve);
    handle(request, response, (error) => reject(failureOf(error)));
  });
}
