/**
 * What every error answer must be (RFC 9457).
 */
import { expect } from "vitest"

export interface ProblemBody {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly requestId: string
  readonly errors?: ReadonlyArray<{ readonly pointer: string; readonly detail: string }>
  readonly existingId?: string
  readonly reason?: string
}

/** The body of an answer, as the test knows it to be. */
export const json = async <A>(answer: Response): Promise<A> => (await answer.json()) as A

/** Checks that an answer is this problem, complete in every part, and gives its body. */
export const expectProblem = async (answer: Response, status: number, code: string): Promise<ProblemBody> => {
  const body = await json<ProblemBody>(answer)
  expect({ status: answer.status, code: body.code }).toEqual({ status, code })
  expect(answer.headers.get("content-type")).toBe("application/problem+json")
  expect(answer.headers.get("referrer-policy")).toBe("no-referrer")
  expect(body).toMatchObject({
    type: `urn:holdfast:problem:${code}`,
    title: expect.stringMatching(/./),
    status,
    detail: expect.stringMatching(/./),
    requestId: answer.headers.get("x-request-id")
  })
  return body
}

/** The pointers of an `invalid_request`, in order. */
export const pointers = ({ errors = [] }: ProblemBody): ReadonlyArray<string> =>
  errors.map(({ pointer }) => pointer).toSorted()
