import { expect } from "chai";
import type { Press } from "../../../mixins/documents/printing/browser.ts";
import { Printer, type PrinterOptions } from "../../../mixins/documents/printing/printer.ts";
import { DocumentTooLong } from "../../../mixins/documents/printing/sheets.ts";

/** A browser that does what its test says. */
class FakePress implements Press {
  ended = 0;
  gone: () => void = () => {};
  readonly print: Press["print"];
  constructor(print: Press["print"]) {
    this.print = print;
  }
  end(): Promise<void> {
    this.ended += 1;
    return Promise.resolve();
  }
  onGone(tell: () => void): void {
    this.gone = tell;
  }
}

const pdf = (html: string) => Promise.resolve(Buffer.from(html));
const never = () => new Promise<Buffer>(() => {});

describe("the printer of documents", () => {
  let presses: FakePress[];
  let sentences: string[];
  beforeEach(() => {
    presses = [];
    sentences = [];
  });

  const printer = (print: Press["print"], options: Partial<PrinterOptions> = {}) =>
    new Printer({
      start: () => {
        const press = new FakePress(print);
        presses.push(press);
        return Promise.resolve(press);
      },
      timeout: 30,
      startTimeout: 30,
      concurrency: 2,
      mostWaiting: 2,
      mostPrinted: 1000,
      log: (sentence) => sentences.push(sentence),
      ...options,
    });
  const outcome = (work: Promise<Buffer>) =>
    work.then(
      (bytes) => bytes.toString(),
      (error: { code: number; type: string; data: { headers: Record<string, string> } }) =>
        `${error.code} ${error.type} ${error.data.headers["Retry-After"]}`,
    );

  it("starts one browser at the first document and keeps it", async () => {
    const one = printer(pdf);
    expect(presses).to.have.length(0);
    expect(await Promise.all(["a", "b", "c"].map((html) => outcome(one.print(html, "vela"))))).to.deep.equal(["a", "b", "c"]);
    await one.print("d", "vela");
    expect(presses).to.have.length(1);
  });

  it("prints as many at a time as it may, lets some wait, and refuses the rest at once", async () => {
    let running = 0;
    let most = 0;
    const finish: (() => void)[] = [];
    const one = printer(
      async (html) => {
        most = Math.max(most, ++running);
        await new Promise<void>((resolve) => finish.push(resolve));
        running -= 1;
        return Buffer.from(html);
      },
      { timeout: 5_000 },
    );
    const all = ["a", "b", "c", "d", "e"].map((html) => outcome(one.print(html, "vela")));
    expect(await all[4]).to.equal("503 unavailable 5");
    while (finish.length < 4) {
      await new Promise((resolve) => setImmediate(resolve));
      finish[running > 0 ? finish.length - 1 : 0]?.();
      finish.slice(0, -1).forEach((end) => end());
    }
    finish.forEach((end) => end());
    expect(await Promise.all(all.slice(0, 4))).to.deep.equal(["a", "b", "c", "d"]);
    expect(most).to.equal(2);
  });

  it("lets organisations take turns, and the one that fills the line makes room", async () => {
    const order: string[] = [];
    const finish: (() => void)[] = [];
    const one = printer(
      async (html) => {
        order.push(html);
        await new Promise<void>((resolve) => finish.push(resolve));
        return Buffer.from(html);
      },
      { timeout: 5_000, mostWaiting: 4 },
    );
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const batch = ["a1", "a2", "a3", "a4", "a5", "a6"].map((html) => outcome(one.print(html, "a")));
    await turn();
    expect(order).to.deep.equal(["a1", "a2"]);
    const neighbours = [outcome(one.print("b1", "b")), outcome(one.print("b2", "b")), outcome(one.print("c1", "c"))];
    await turn();
    expect(order, "a neighbour that has none begins at once").to.deep.equal(["a1", "a2", "b1"]);
    expect(await batch[5]).to.equal("503 unavailable 5");
    expect(await batch[4]).to.equal("503 unavailable 5");
    for (let ended = 0; ended < 7; ended += 1) {
      finish[ended]?.();
      await turn();
      await turn();
    }
    expect(order).to.deep.equal(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
    expect(await Promise.all([...batch.slice(0, 4), ...neighbours])).to.deep.equal(["a1", "a2", "a3", "a4", "b1", "b2", "c1"]);
  });

  it("refuses a document that is too long with its reason, and keeps the browser", async () => {
    const one = printer((html) => (html === "long" ? Promise.reject(new DocumentTooLong()) : pdf(html)));
    const refused = await one.print("long", "vela").catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(DocumentTooLong).with.property("message", "the document is longer than 600 pages");
    expect(await outcome(one.print("fine", "vela"))).to.equal("fine");
    expect(presses.map(({ ended }) => ended)).to.deep.equal([0]);
  });

  it("refuses a document that hangs, ends the browser and starts another for the next", async () => {
    const one = printer((html) => (html === "hangs" ? never() : pdf(html)));
    expect(await outcome(one.print("hangs", "vela"))).to.equal("503 unavailable 5");
    expect(presses.map(({ ended }) => ended)).to.deep.equal([1]);
    expect(await outcome(one.print("fine", "vela"))).to.equal("fine");
    expect(presses.map(({ ended }) => ended)).to.deep.equal([1, 0]);
    expect(sentences).to.have.length(1);
  });

  it("prints the documents printed in parallel with a failed one once more", async () => {
    let began = 0;
    const one = printer((html) => {
      began += 1;
      if (html === "fails") return Promise.reject(new Error("the page crashed"));
      return presses.length === 1 ? new Promise((_, reject) => setTimeout(() => reject(new Error("closed")), 5)) : pdf(html);
    });
    expect(await Promise.all([outcome(one.print("fails", "vela")), outcome(one.print("beside", "vela"))])).to.deep.equal([
      "503 unavailable 5",
      "beside",
    ]);
    expect(began).to.equal(3);
  });

  it("starts again after the browser has ended, or could not start", async () => {
    const one = printer(pdf);
    await one.print("a", "vela");
    presses[0]?.gone();
    await one.print("b", "vela");
    expect(presses).to.have.length(2);
    let tries = 0;
    const start = () => (++tries === 1 ? Promise.reject(new Error("no such file")) : Promise.resolve(new FakePress(pdf)));
    const other = printer(pdf, { start });
    expect(await outcome(other.print("a", "vela"))).to.equal("503 unavailable 5");
    expect(await outcome(other.print("a", "vela"))).to.equal("a");
    expect(sentences.join()).to.include("no such file");
  });

  it("does not wait for ever for a browser to start, and ends one that comes too late", async () => {
    let come: (press: Press) => void = () => {};
    const late = new FakePress(pdf);
    const one = printer(pdf, { start: () => new Promise((resolve) => void (come = resolve)) });
    expect(await outcome(one.print("a", "vela"))).to.equal("503 unavailable 5");
    come(late);
    await new Promise((resolve) => setImmediate(resolve));
    expect(late.ended).to.equal(1);
  });

  it("replaces a browser that has printed much, while nothing is in it", async () => {
    const one = printer(pdf, { mostPrinted: 2 });
    for (const html of ["a", "b", "c"]) await one.print(html, "vela");
    expect(presses.map(({ ended }) => ended)).to.deep.equal([1, 0]);
  });

  it("ends the browser when it stops, and refuses what waits", async () => {
    const one = printer(never, { timeout: 10_000, concurrency: 1 });
    const [running, waiting] = [outcome(one.print("a", "vela")), outcome(one.print("b", "vela"))];
    await new Promise((resolve) => setImmediate(resolve));
    void running;
    await one.stop();
    expect(await waiting).to.equal("503 unavailable 5");
    expect(presses.map(({ ended }) => ended)).to.deep.equal([1]);
  });
});
