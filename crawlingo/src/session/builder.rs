//! Options of a session.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crawlingo_schema::HealMode;

use super::Session;
use super::healing::{Healer, OnHeal};
use crate::Error;
use crate::config::Config;
use crate::heal::{DEFAULT_THRESHOLD, HealRow, HealStore, Model};
use crate::types::{HttpVersion, Profile, Tier};

/// Builds a [`Session`].
///
/// ```
/// use std::time::Duration;
/// use crawlingo::{Profile, Session};
/// let session = Session::builder().profile(Profile::Firefox).timeout(Duration::from_secs(20)).build()?;
/// # Ok::<(), crawlingo::Error>(())
/// ```
#[derive(Default)]
#[must_use]
pub struct SessionBuilder {
    config: Config,
    /// The first thing that was wrong; `build` says it.
    error: Option<Error>,
    heal_store: Option<Arc<dyn HealStore>>,
    heal_threshold: Option<f32>,
    on_heal: Option<OnHeal>,
    auto_match: HealMode,
    heal_model: Option<Arc<Model>>,
    heal_strict: bool,
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty),+ $(,)?) => {
        $($(#[$doc])* pub fn $name(mut self, $name: $type) -> Self { self.config.$name = $name; self })+
    };
}

impl SessionBuilder {
    setters! {
        /// Sets whether requests look like this crate's or like a browser's.
        tier: Tier,
        /// Sets the version of HTTP.
        http_version: HttpVersion,
        /// Sets how long a connection may take to be made.
        connect_timeout: Duration,
        /// Sets how long the first byte of the answer may take.
        first_byte_timeout: Duration,
        /// Sets how long the body may pause.
        idle_timeout: Duration,
        /// Sets how long a request may take, redirects and body included.
        timeout: Duration,
        /// Sets the most bytes of a body, compressed or not.
        max_body_bytes: usize,
        /// Sets the most headers of a response.
        max_headers: usize,
        /// Sets the most redirects that one request follows; 0: none is followed.
        max_redirects: usize,
        /// Sets the most requests that are on their way at once.
        concurrency: usize,
        /// Sets whether cookies are kept and sent back.
        cookies: bool,
        /// Sets whether addresses of private networks and of this machine are refused.
        deny_private: bool,
        /// Sets whether the certificates of servers are checked.
        verify_tls: bool,
        /// Sets the most threads that parse; 0: as many as there are cores.
        parse_threads: usize,
    }

    /// Sets the browser that requests look like, and with it the stealthy tier.
    pub fn profile(mut self, profile: Profile) -> Self {
        self.config.tier = Tier::Stealthy;
        self.config.profile = profile;
        self
    }

    /// Sets the User-Agent of the standard tier.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.config.user_agent = user_agent.into();
        self
    }

    /// Sets the proxy: `http://`, `https://`, `socks5://` or `socks5h://`, with `user:password@` where it asks for that.
    pub fn proxy(mut self, proxy: impl Into<String>) -> Self {
        self.config.proxy = Some(proxy.into());
        self
    }

    /// Adds a header that every request carries.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Err(error) = self.config.headers.insert(name, value) {
            self.error.get_or_insert(error);
        }
        self
    }

    /// Sets where fingerprints are kept: fields that ask for it heal then. Without a store nothing heals.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    /// use crawlingo::heal::SledHealStore;
    /// let store = Arc::new(SledHealStore::open(".crawlingo/heal")?);
    /// let session = crawlingo::Session::builder()
    ///     .heal_store(store)
    ///     .on_heal(|heal| eprintln!("{} {}: {}", heal.field, heal.outcome, heal.confidence))
    ///     .build()?;
    /// # Ok::<(), crawlingo::Error>(())
    /// ```
    pub fn heal_store(mut self, store: Arc<dyn HealStore>) -> Self {
        self.heal_store = Some(store);
        self
    }

    /// Sets the probability of being right from which on a heal is bound, from 0.5 to 1; 0.94 unless said otherwise.
    pub fn heal_threshold(mut self, threshold: f32) -> Self {
        self.heal_threshold = Some(threshold);
        self
    }

    /// Sets what is called with each heal, suggestion, refusal and drift. It is called on a thread that extracts, and
    /// holds it up for as long as it takes.
    pub fn on_heal(mut self, on_heal: impl Fn(&HealRow) + Send + Sync + 'static) -> Self {
        self.on_heal = Some(Arc::new(on_heal));
        self
    }

    /// Sets how the fields heal of datasets that say nothing of healing: all of them that can, as if each said `heal`.
    pub fn auto_match(mut self, mode: HealMode) -> Self {
        self.auto_match = mode;
        self
    }

    /// Sets factors by which features weigh more or less than was trained, by their names: `[("class_parts", 0.0)]`
    /// leaves classes out of account. What the model says of being right was not calibrated for that, so that nothing is
    /// bound any more and all is only suggested; train a model anew, and give it to [`heal_model`](Self::heal_model), to
    /// have both.
    pub fn auto_match_weights<'n>(mut self, factors: impl IntoIterator<Item = (&'n str, f32)>) -> Self {
        let factors: BTreeMap<String, f32> =
            factors.into_iter().map(|(name, factor)| (name.to_owned(), factor)).collect();
        let model = self.heal_model.take().map_or_else(|| Model::standard().clone(), |model| (*model).clone());
        match model.weighted(&factors) {
            Ok(model) => self.heal_model = Some(Arc::new(model)),
            Err(error) => {
                self.error.get_or_insert(error);
            }
        }
        self
    }

    /// Sets the model that healing ranks and decides with, such as one that was trained on pages of your own.
    pub fn heal_model(mut self, model: Model) -> Self {
        self.heal_model = Some(Arc::new(model));
        self
    }

    /// Sets whether a selector that seems to match something else than it did is an error of its page, not only a line
    /// in the report.
    pub fn heal_strict(mut self, strict: bool) -> Self {
        self.heal_strict = strict;
        self
    }

    /// Checks the options and makes the session.
    ///
    /// # Errors
    /// `ErrorKind::Config` with the option that is wrong.
    pub fn build(self) -> Result<Session, Error> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let threshold = self.heal_threshold.unwrap_or(DEFAULT_THRESHOLD);
        if !(0.5..=1.0).contains(&threshold) {
            let message = format!("{threshold} is no probability from 0.5 to 1; 0.94 binds what is right in 94 of 100");
            return Err(Error::config("heal_threshold", message));
        }
        let asks = self.heal_threshold.is_some()
            || self.on_heal.is_some()
            || self.auto_match != HealMode::Off
            || self.heal_model.is_some()
            || self.heal_strict;
        if self.heal_store.is_none() && asks {
            return Err(Error::config("heal_store", "healing needs a store: give `heal_store` one"));
        }
        let Self { on_heal, auto_match, heal_model: model, heal_strict: strict, .. } = self;
        let healer = self.heal_store.map(|store| Healer { store, threshold, on_heal, auto_match, model, strict });
        Session::with_healer(self.config, healer)
    }
}

impl std::fmt::Debug for SessionBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionBuilder").field("config", &self.config).finish_non_exhaustive()
    }
}
