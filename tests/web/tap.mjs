// Running tests, and printing TAP.

/** Runs tests, an object of names and functions, and prints TAP. Returns how many failed. */
export async function run(tests) {
  let number = 0, failed = 0;
  console.log(`1..${Object.keys(tests).length}`);
  for (const [name, test] of Object.entries(tests)) {
    number++;
    const begin = performance.now();
    try {
      await test();
      console.log(`ok ${number} - ${name} # ${Math.round(performance.now() - begin)} ms`);
    } catch (error) {
      failed++;
      console.log(`not ok ${number} - ${name}`);
      console.log(String(error.stack ?? error).replace(/^/gm, "# "));
    }
  }
  return failed;
}
