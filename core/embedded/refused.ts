/** A start that cannot continue until the operator acts. The message is one sentence that names the remedy. */
export class StartRefused extends Error {
  override name = "StartRefused";
}
