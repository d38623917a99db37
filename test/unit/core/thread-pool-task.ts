import { setTimeout as delay } from "node:timers/promises";

type Input =
  | { does: "answer" | "throw" | "loop" | "grow" | "environment" }
  | { does: "wait"; milliseconds: number }
  | { does: "hold"; gate: SharedArrayBuffer };

let calls = 0;

/** The work of threads in the tests of the pool. */
export default async function task(input: Input): Promise<unknown> {
  calls += 1;
  switch (input.does) {
    case "throw":
      throw new Error("as ordered");
    case "loop":
      for (;;);
    case "grow":
      for (const kept: number[][] = []; ; ) kept.push(new Array<number>(10_000).fill(kept.length));
    case "wait":
      await delay(input.milliseconds);
      return "waited";
    case "hold":
      Atomics.wait(new Int32Array(input.gate), 0, 0);
      return "held";
    case "environment":
      return Object.keys(process.env);
    default:
      return { calls };
  }
}
