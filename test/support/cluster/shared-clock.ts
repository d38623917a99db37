import { closeSync, openSync, readSync, writeSync } from "node:fs";
import pg from "pg";

/** A clock that a test has set, as sinon makes it. */
interface SetClock {
  setSystemTime(now?: number | Date): void;
}
type AnyDate = DateConstructor & { clock?: SetClock };

/** What nodes ask the database to compare their clocks with it (operator/clock.ts). */
const COMPARISON = /^select extract\(epoch from clock_timestamp\(\)\)/;

let isDatabaseSet = false;
/** Answers a node that compares its clock with the database's as if both were set: a test sets the clocks of all machines. */
function setDatabaseClock(): void {
  if (isDatabaseSet) return;
  isDatabaseSet = true;
  const { query } = pg.Pool.prototype as { query(...given: unknown[]): unknown };
  Object.assign(pg.Pool.prototype, {
    query(this: pg.Pool, ...given: unknown[]) {
      const [text] = given;
      return typeof text === "string" && COMPARISON.test(text)
        ? Promise.resolve({ rows: [{ now: Date.now() }] })
        : query.apply(this, given);
    },
  });
}

/** Makes this process, a node of a test's cluster, read the clock from a file: the milliseconds at which it stands, or NaN for the machine's. */
export function followClock(file: string): void {
  const machineNow = machine.now.bind(machine);
  const descriptor = openSync(file, "r");
  const read = new Float64Array(1);
  const now = () => {
    readSync(descriptor, read, 0, read.byteLength, 0);
    const [set = Number.NaN] = read;
    return Number.isNaN(set) ? machineNow() : set;
  };
  machine.now = now;
  globalThis.Date = new Proxy(machine, {
    construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
  });
  setDatabaseClock();
}

/** The machine's clock: this file is loaded before a test sets another. */
const machine = globalThis.Date;
let publish = () => {};

/** Gives the nodes that follow it the clock of this process, before a call. */
export const publishClock = (): void => publish();

/**
 * Lets nodes follow the clock of this process, which tests set by replacing `Date`.
 * @param file that the nodes read
 * @returns ends it
 */
export function shareClock(file: string): () => void {
  const descriptor = openSync(file, "w");
  let current = globalThis.Date as AnyDate;
  const write = () => {
    const now = current === machine ? Number.NaN : new current().getTime();
    writeSync(descriptor, new Float64Array([now]), 0, 8, 0);
  };
  /** Publishes what a test sets without replacing `Date`. */
  const watch = ({ clock }: AnyDate) => {
    if (!clock || Object.hasOwn(clock, "isShared")) return;
    const { setSystemTime } = clock;
    Object.assign(clock, {
      isShared: true,
      setSystemTime(now?: number | Date) {
        setSystemTime.call(clock, now);
        publish();
      },
    });
  };
  Object.defineProperty(globalThis, "Date", {
    configurable: true,
    enumerable: false,
    get: () => current,
    set(value: AnyDate) {
      current = value;
      watch(current);
      publish();
    },
  });
  setDatabaseClock();
  publish = write;
  watch(current);
  write();
  return () => {
    publish = () => {};
    Object.defineProperty(globalThis, "Date", { configurable: true, enumerable: false, writable: true, value: current });
    closeSync(descriptor);
  };
}
