// Requests to this page's own server.

export class Failure extends Error {}

// The server's answer; throws a Failure whose message is for people.
export async function ask(path, question) {
  let response;
  try {
    response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(question),
    });
  } catch {
    throw new Failure("The server does not answer: is plansolve web still running?");
  }
  let answer;
  try {
    answer = await response.json();
  } catch {
    throw new Failure(`The server answered with an error (${response.status}).`);
  }
  if (!response.ok) throw new Failure(answer.message);
  return answer;
}
