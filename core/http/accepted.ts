/** A 202 response: the call was accepted, and a job continues it. For actions that declare 202 in `otherStatuses`. */
export class Accepted {
  readonly body: unknown;

  constructor(body: unknown) {
    this.body = body;
  }
}
