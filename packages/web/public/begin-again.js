/**
 * Loads the page again, a few times, if not all of its parts came. While gateways of two versions run, a gateway of the one may be asked for a
 * part of the other, and does not have it (decision 0058). Plain JavaScript at a fixed name that every version has: browsers run it unchanged.
 */
(() => {
  const name = 'parley/loads';
  const loadsMax = 6;
  const firstDelayMs = 500;

  addEventListener('load', () => {
    const app = document.querySelector('#app');
    const styles = [...document.querySelectorAll('link[rel="stylesheet"]')];
    const loads = Number(sessionStorage.getItem(name));
    if (app.hasChildNodes() && styles.every(({ sheet }) => sheet !== null))
      sessionStorage.removeItem(name);
    else if (loads < loadsMax) {
      sessionStorage.setItem(name, loads + 1);
      setTimeout(() => location.reload(), firstDelayMs * 2 ** loads);
    } else {
      sessionStorage.removeItem(name);
      app.textContent = 'Parts of this page did not come. Load it again in a minute.';
    }
  });
})();
