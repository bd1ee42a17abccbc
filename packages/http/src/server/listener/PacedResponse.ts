/**
 * The responses of Node's server. One that the client did not wait for reports its end (`close`) in one of the next turns of the
 * event loop, because its listeners interrupt the request.
 */
import { type IncomingMessage, ServerResponse } from "node:http"
import * as Aborts from "../../incoming/Aborts.ts"

export class PacedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override emit(event: string | symbol, ...values: Array<unknown>): boolean {
    if (event !== "close" || this.writableEnded) return super.emit(event, ...values)
    Aborts.ofProcess.enqueue(() => super.emit("close"))
    return true
  }
}
