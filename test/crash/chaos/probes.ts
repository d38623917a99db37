import { setTimeout as delay } from "node:timers/promises";
import { send } from "../../support/http.ts";
import { until } from "../../support/jobs.ts";
import type { Tenant } from "../../support/service.ts";
import type { Happened } from "./faults.ts";

/** So many calls in a row that succeed are a recovery. */
const ENOUGH = 10;
const EVERY = 100;
/** Longest wait for a recovery: a run goes on without it and reports it. */
const PATIENCE = 90_000;

interface Probed {
  at: number;
  took: number;
  status: number;
}

/** A read and a write by turns, ten a second, without waiting for those before. */
export class Probes {
  readonly all: Probed[] = [];
  #isOver = false;
  #running: Promise<void> | null = null;

  /** @param port of the proxy. @param tenant an organisation that does nothing else */
  async start(port: number, { host, owner: { key }, company }: Tenant): Promise<void> {
    const { id } = await until(() => company().catch(() => null), PATIENCE);
    const probe = async (n: number) => {
      const at = performance.now();
      const { status } = await (n % 2 === 0
        ? send(port, "GET", "/companies?limit=1", { host, key })
        : send(port, "PATCH", `/companies/${id}`, { host, key, body: { city: `Probe ${n}` } })
      ).catch(() => ({ status: 0 }));
      this.all.push({ at, took: performance.now() - at, status });
    };
    this.#running = (async () => {
      const open = new Set<Promise<void>>();
      for (let n = 0; !this.#isOver; n++, await delay(EVERY)) {
        const asked = probe(n);
        open.add(asked);
        void asked.finally(() => open.delete(asked));
      }
      await Promise.all(open);
    })();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  /** In order, without those that a later fault broke on their way. */
  #sent(from: number, to = Number.POSITIVE_INFINITY): Probed[] {
    const inTime = (probed: Probed) => probed.at >= from && (isGood(probed) ? probed.at < to : probed.at + probed.took < to);
    return this.all.filter(inTime).toSorted((one, other) => one.at - other.at);
  }

  /** Waits until enough calls in a row have succeeded. */
  async calm(): Promise<void> {
    const since = performance.now();
    while (performance.now() - since < PATIENCE) {
      const last = this.#sent(since).slice(-ENOUGH);
      if (last.length === ENOUGH && last.every(isGood)) return;
      await delay(EVERY);
    }
  }

  /**
   * How each fault went, until the next one.
   * @returns `recovery`: milliseconds from when the service could recover to the first of the calls that all succeeded; null if there
   * were none. `refusal`: the longest wait for an answer that is no success.
   */
  courses(happened: readonly Happened[]): Course[] {
    return happened.map((fault, at) => {
      const sent = this.#sent(fault.began, happened[at + 1]?.began);
      const lastBad = sent.findLastIndex((probed) => !isGood(probed));
      const after = sent.slice(lastBad + 1);
      const recovery = after.length < ENOUGH ? null : lastBad < 0 ? 0 : Math.max(0, (after[0] as Probed).at - fault.mended);
      const bad = sent.filter((probed) => !isGood(probed));
      const refusal = Math.max(0, ...bad.map(({ took }) => took));
      return {
        fault,
        probes: sent.length,
        failed: bad.length,
        recovery,
        refusal,
        longest: Math.max(0, ...sent.map(({ took }) => took)),
      };
    });
  }
}

const isGood = ({ status }: Probed): boolean => status > 0 && status < 300;

export interface Course {
  fault: Happened;
  probes: number;
  failed: number;
  recovery: number | null;
  refusal: number;
  longest: number;
}
