import { EventEmitter, once } from "node:events";
import { expect } from "chai";
import { bars, screen } from "../../../cli/top/screen.ts";
import { watch } from "../../../cli/top/watch.ts";
import type { InstallationFigures } from "../../../mixins/ops/installation-figures.ts";

const figures: InstallationFigures = {
  at: "2026-05-01T10:20:30.000Z",
  node: "one",
  nodes: [
    {
      id: "one",
      actors: 150,
      version: "0.3.0",
      state: "serving",
      uptime_seconds: 7_300,
      cpu_percent: 12,
      memory_bytes: 300 * 1_048_576,
      heap_bytes: 1,
      loop_p99_ms: 1.2,
      loop_max_ms: 8,
      connections: { idle: 3, busy: 2, waiting: 0 },
    },
    { id: "two", actors: 0, state: "silent" },
  ],
  actors: [{ name: "companies", nodes: ["one"] }],
  requests: { seconds: 270, requests: 540, per_second: 2, errors: 1, p50_ms: 3, p99_ms: 80 },
  actions: [
    { action: `companies.${"x".repeat(60)}`, seconds: 2, requests: 540, per_second: 2, errors: 1, p50_ms: 3, p99_ms: 80 },
  ],
  history: Array.from({ length: 60 }, (_, at) => ({
    at: "2026-05-01T10:20:00.000Z",
    requests: at,
    errors: 0,
    p99_ms: at === 0 ? null : at,
    due_jobs: null,
  })),
  queues: [{ name: "mail.wake", due: 4, running: 1, waiting: 2, dead: 3, oldest_seconds: 125 }],
  outbox: { waiting: 0, oldest_seconds: 0 },
  mails: null,
  circuits: [
    {
      provider: "registrar",
      account: "instance",
      state: "open",
      failures: 6,
      seconds: 30,
      last_failure: "timeout",
      last_status: null,
      since: "2026-05-01T10:00:00.000Z",
    },
  ],
  webhooks: { pending: 0, working: 1, failing: 0, disabled: 0 },
  organisations: [{ id: "01890000-0000-7000-8000-000000000001", slug: "agency", name: "Agency", requests: 540, seconds: 2 }],
  statements: [],
};

describe("the screen of `top`", () => {
  for (const columns of [40, 80, 160])
    it(`has no line wider than ${columns} characters`, () => {
      const lines = screen(figures, { columns, rows: 200, colours: false });
      expect(lines.filter((line) => line.length > columns)).to.deep.equal([]);
      expect(lines.length).to.be.greaterThan(20);
    });

  it("fits the height of the terminal", () =>
    expect(screen(figures, { columns: 80, rows: 12, colours: false })).to.have.length(12));

  it("shows nodes, jobs and providers, with a node that does not answer", () => {
    const text = screen(figures, { columns: 120, rows: 200, colours: false }).join("\n");
    expect(text).to.match(/one +serving +150 +2 h +12 % +300 MB/);
    expect(text).to.match(/two +silent/);
    expect(text).to.match(/mail\.wake +4 +1 +2 +3 +2 min/);
    expect(text).to.match(/registrar +instance +open +6/);
    expect(text).to.contain("Mails    ? queued");
  });

  it("is plain without colours, and marks what is wrong with them", () => {
    const draw = (colours: boolean) => screen(figures, { columns: 120, rows: 200, colours }).join("\n");
    expect(draw(false)).not.to.contain("\x1b");
    expect(draw(true)).to.match(/\[1;31mtwo +silent/);
  });
});

describe("plots in a terminal", () => {
  it("are bars, with a gap for no value", () => expect(bars([0, null, 5, 10])).to.equal("▁ ▅█"));
});

describe("`top` at a terminal", () => {
  /** A terminal that keeps what is written, and whether it passes on each key. */
  function terminal() {
    const stdout = Object.assign(new EventEmitter(), {
      columns: 60,
      rows: 10,
      written: "",
      write(text: string) {
        stdout.written += text;
        stdout.emit("written");
        return true;
      },
    });
    const stdin = Object.assign(new EventEmitter(), {
      isRaw: false,
      setRawMode(isRaw: boolean) {
        stdin.isRaw = isRaw;
        return stdin;
      },
      resume: () => stdin,
      pause: () => stdin,
    });
    return { stdin, stdout };
  }
  type Streams = Parameters<typeof watch>;
  const started = (attached: Streams[0]) => {
    const { stdin, stdout } = terminal();
    const drawn = once(stdout, "written").then(() => once(stdout, "written"));
    const watching = watch(attached, stdin as unknown as Streams[1], stdout as unknown as Streams[2]);
    return { stdin, stdout, drawn, watching };
  };
  const serving: Streams[0] = { figures: async () => figures, ended: new Promise<never>(() => {}) };

  for (const key of ["q", "\x03"])
    it(`draws, follows the width of the window, and leaves it as it was after ${JSON.stringify(key)}`, async () => {
      const { stdin, stdout, drawn, watching } = started(serving);
      await drawn;
      expect([stdin.isRaw, stdout.written.startsWith("\x1b[?1049h")]).to.deep.equal([true, true]);
      expect(stdout.written).to.contain("Kantoor  10:20:30 UTC  2 nodes");
      stdout.written = "";
      stdout.columns = 20;
      stdout.emit("resize");
      const widths = stdout.written
        .split("\n")
        .map((line) => line.replaceAll(/\[[\d;?]*[A-Za-z]/g, "").replaceAll("\x1b", "").length);
      expect(Math.max(...widths)).to.be.at.most(20);
      stdin.emit("data", Buffer.from(key));
      await watching;
      expect([stdin.isRaw, stdout.written.endsWith("\x1b[?1049l")]).to.deep.equal([false, true]);
      expect([stdin.listenerCount("data"), stdout.listenerCount("resize")]).to.deep.equal([0, 0]);
    });

  it("ends with the reason when the service ends, and leaves the terminal as it was", async () => {
    const gone = Promise.reject<never>(new Error("The service has stopped."));
    const { stdin, stdout, watching } = started({ figures: () => new Promise(() => {}), ended: gone });
    const reason = await watching.then(
      () => "none",
      ({ message }: Error) => message,
    );
    expect([reason, stdin.isRaw, stdout.written.endsWith("\x1b[?1049l")]).to.deep.equal([
      "The service has stopped.",
      false,
      true,
    ]);
  });
});
