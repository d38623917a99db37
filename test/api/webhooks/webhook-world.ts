import { expect } from "chai";
import { WebhookReceiver } from "../../simulators/webhook-receiver.ts";
import { until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

export const ENDPOINTS = "/webhooks/endpoints";
export const DELIVERIES = "/webhooks/deliveries";

/** An endpoint as it was created. */
export interface Endpoint {
  id: string;
  secret: string;
  path: string;
}

export interface WebhookWorld {
  service: TestService;
  receiver: WebhookReceiver;
  /** Adds an endpoint at a path of the receiver, which trusts it. */
  endpoint(tenant: Tenant, values?: object): Promise<Endpoint>;
  /** The deliveries as the list shows them, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers
  deliveries(tenant: Tenant, filters?: string): Promise<Record<string, any>[]>;
  /** Waits until so many deliveries have a status. */
  reach(tenant: Tenant, status: string, howMany: number): Promise<void>;
  /** Delays a receiver's answers from now on, until the returned function is called; then it answers, and the next as usual. */
  hold(path: string): () => void;
  /** Lets the next attempts of an endpoint be due now. */
  due(endpointId: string): Promise<void>;
  /** Ends every waiting attempt, and clears the received messages. */
  rest(): Promise<void>;
  stop(): Promise<void>;
}

const PENDING = `select from outbox where job like 'webhooks.%' union all select from jobs.agenda_jobs
  where name in ('webhooks.wake', 'webhooks.deliver') and (next_run_at is not null or locked_at is not null)`;

let paths = 0;

/** The service, with receivers on its own machine that it may call. */
async function startWebhooks(): Promise<WebhookWorld> {
  const service = await startService({ SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8" });
  const receiver = new WebhookReceiver();
  await receiver.start();
  const { sql } = service;
  const deliveries: WebhookWorld["deliveries"] = async (tenant, filters = "") => {
    const { status, body } = await tenant.owner.get(`${DELIVERIES}?limit=200&sort=created_at${filters}`);
    expect(status).to.equal(200);
    return body.items;
  };
  const rest = async () => {
    await sql.query("delete from webhook_endpoints");
    await until(async () => {
      await sql.query("update jobs.agenda_jobs set next_run_at = now() where name = 'webhooks.wake' and next_run_at > now()");
      return (await sql.query(PENDING)).rowCount === 0;
    });
    receiver.reset();
    receiver.messages.length = 0;
  };
  return {
    service,
    receiver,
    async endpoint(tenant, values = {}) {
      const path = `/hook-${++paths}`;
      const sent = { name: path, url: receiver.url(path), events: ["company.created", "company.status_changed"], ...values };
      const { status, body } = await tenant.owner.post(ENDPOINTS, sent);
      expect(status, JSON.stringify(body)).to.equal(201);
      receiver.trust(path, body.secret);
      return { id: body.id, secret: body.secret, path };
    },
    deliveries,
    async reach(tenant, status, howMany) {
      await until(async () => (await deliveries(tenant, `&status=${status}`)).length >= howMany);
    },
    hold(path) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const heal = receiver.failWhen((one) => one.path === path, { kind: "wait", until: promise });
      return () => {
        heal();
        resolve();
      };
    },
    async due(endpointId) {
      const planned = `from jobs.agenda_jobs
        where name = 'webhooks.wake' and data #>> '{payload,endpoint_id}' = $1::text and next_run_at is not null and locked_at is null`;
      // An attempt is recorded before the next is planned; one that is due by then is made without a planned look.
      await until(async () => (await sql.query(`select ${planned}`, [endpointId])).rowCount === 1);
      await sql.query(
        `with due as (update webhook_deliveries set next_attempt_at = now() - interval '1 second'
           where endpoint_id = $1::text::uuid and status = 'pending')
         update jobs.agenda_jobs set next_run_at = now() where id in (select id ${planned})`,
        [endpointId],
      );
      await sql.query("select pg_notify('kantoor_jobs', $1)", [
        JSON.stringify({ node: "the test", wakes: [["webhooks.wake", 0]] }),
      ]);
    },
    rest,
    async stop() {
      await rest();
      await service.stop();
      await receiver.stop();
    },
  };
}

/**
 * Starts the service with its receivers for the tests of a file. A call that a receiver found wrong is a failure.
 * @param take is given the world and a new organisation before each test
 */
export function inWebhookWorld(take: (world: WebhookWorld, tenant: Tenant) => void): void {
  let world: WebhookWorld;
  before(async () => {
    world = await startWebhooks();
  });
  beforeEach(async () => take(world, await world.service.tenant()));
  afterEach(async () => {
    const { complaints } = world.receiver;
    expect([...complaints]).to.deep.equal([]);
    await world.rest();
  });
  after(() => world.stop());
}
