// Preloaded into a node: on SIGUSR2 the clock of its code jumps by SHIFTED_CLOCK_MS, and on the next one back again. Timers are not moved.
const RealDate = globalThis.Date;
const jump = Number(process.env.SHIFTED_CLOCK_MS ?? 0);
let shift = 0;
const now = () => RealDate.now() + shift;
globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, values, made) => Reflect.construct(target, values.length === 0 ? [now()] : values, made),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});
process.on("SIGUSR2", () => {
  shift = shift === 0 ? jump : 0;
  process.stdout.write(`CLOCK ${shift}\n`);
});
